//! Random expressions of a wanted type: columns, literals, every function of the registry with arguments of its types, the
//! forms of the binder, subqueries, aggregates. Now and then an expression has another type than the one wanted.

use super::program::Generator;
use super::types;
use feldc::bind::forms::FORMS;
use feldc::driver::functions::written_call;
use feldc_value::SqlType;
use feldc_value::function::{Function, Param, Returns};

/// A column as an expression sees it.
#[derive(Clone, Debug)]
pub struct Column {
    pub text: String,
    pub ty: SqlType,
}

/// What an expression may name.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub columns: Vec<Column>,
    /// The columns under a grouping: aggregates may read them.
    pub grouped: Option<Vec<Column>>,
    /// May functions over windows be called?
    pub windows: bool,
}

impl Scope {
    pub fn of(columns: Vec<Column>) -> Scope {
        Scope { columns, ..Scope::default() }
    }

    /// The same for what stands inside an aggregate or a condition of a row.
    pub fn plain(&self) -> Scope {
        Scope::of(self.columns.clone())
    }
}

/// Aggregates of one argument that give its type.
const SAME: &[&str] = &[
    "MIN",
    "MAX",
    "ANY_VALUE",
    "MODE",
    "SUM",
    "AVG",
    "STDDEV",
    "STDDEV_POP",
    "VARIANCE",
    "VAR_POP",
    "BIT_AND",
    "BIT_XOR",
    "MEDIAN",
];
const PAIRS: &[&str] = &[
    "COVAR_POP",
    "COVAR_SAMP",
    "CORR",
    "REGR_AVGX",
    "REGR_SXX",
    "REGR_SXY",
    "REGR_SLOPE",
    "REGR_INTERCEPT",
    "REGR_R2",
];

/// Something that fits is looked for so often.
const CHOICES: usize = 12;

impl Generator {
    /// An expression; of `ty`, mostly.
    pub fn expr(&mut self, ty: SqlType, scope: &Scope, depth: usize) -> String {
        if self.random.chance(self.faults) {
            let other = types::any_type(&mut self.random);
            return self.typed(other, scope, depth);
        }
        self.typed(ty, scope, depth)
    }

    fn typed(&mut self, ty: SqlType, scope: &Scope, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(ty, scope);
        }
        if scope.grouped.is_some() && self.random.chance(35) {
            return self.aggregate(ty, scope, depth - 1);
        }
        if scope.windows && self.random.chance(15) {
            return self.window(ty, scope, depth - 1);
        }
        match self.random.below(20) {
            0..=4 => self.leaf(ty, scope),
            5..=11 => self.call(ty, scope, depth - 1),
            12 => self.form(ty, scope, depth - 1),
            13 => self.cast(ty, scope, depth - 1),
            14 => self.subquery(ty, scope, depth - 1),
            15..=17 => self.structure(ty, scope, depth - 1),
            _ => self.choice(ty, scope, depth - 1),
        }
    }

    fn leaf(&mut self, ty: SqlType, scope: &Scope) -> String {
        let fitting: Vec<&Column> = scope.columns.iter().filter(|column| column.ty.same_family(ty)).collect();
        match fitting.is_empty() || self.random.chance(20) {
            false => self.random.pick(&fitting).text.clone(),
            true => types::literal(&mut self.random, ty),
        }
    }

    /// The expression as an operand: in parentheses, nearly always.
    fn operand(&mut self, ty: SqlType, scope: &Scope, depth: usize) -> String {
        let text = self.expr(ty, scope, depth);
        let simple = text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
        match simple || self.random.chance(5) {
            true => text,
            false => format!("({text})"),
        }
    }

    /// A function that gives the type.
    fn call(&mut self, ty: SqlType, scope: &Scope, depth: usize) -> String {
        for _ in 0..CHOICES {
            let Some(function) = self.functions.pick(ty, &mut self.random) else { break };
            let arguments = self.argument_types(function, ty);
            match function.result_type(&arguments) {
                Ok(result) if result == ty || (result.same_family(ty) && !ty.is_nested()) => {
                    return self.call_of(function, &arguments, ty, scope, depth);
                }
                Ok(result) if types::castable(result, ty) => {
                    return format!("CAST({} AS {ty})", self.call_of(function, &arguments, ty, scope, depth));
                }
                _ => (),
            }
        }
        self.leaf(ty, scope)
    }

    /// Types for the arguments of a function that ought to give a type.
    fn argument_types(&mut self, function: &Function, result: SqlType) -> Vec<SqlType> {
        let repeats = if function.variadic { self.random.below(3) as usize } else { 0 };
        let same = match function.returns {
            Returns::Argument(_) => result,
            _ => types::any_type(&mut self.random),
        };
        let mut arguments: Vec<SqlType> = vec![];
        for at in 0..function.parameters.len() + repeats {
            let ty = match (function.parameter(at), arguments.first()) {
                (Some(Param::Is(ty)), _) => types::of_family(&mut self.random, ty),
                (Some(Param::Same), _) => same,
                // What an array or a map holds is looked for in it.
                (_, Some(SqlType::Array(element))) if self.random.chance(70) => **element,
                (_, Some(SqlType::Map(entry))) if self.random.chance(70) => entry.0.0,
                _ => types::any_type(&mut self.random),
            };
            arguments.push(ty);
        }
        arguments
    }

    /// A call with arguments of these types; `result` is the type that it ought to give.
    fn call_of(
        &mut self,
        function: &Function,
        arguments: &[SqlType],
        result: SqlType,
        scope: &Scope,
        depth: usize,
    ) -> String {
        let is_operator =
            !function.name.starts_with(|first: char| first.is_ascii_alphabetic()) || function.name.contains(' ');
        let arguments: Vec<String> = arguments
            .iter()
            .map(|ty| if is_operator { self.operand(*ty, scope, depth) } else { self.expr(*ty, scope, depth) })
            .collect();
        written_call(function, &arguments, &result.to_string())
    }

    /// The example of a form with other expressions in the place of its columns.
    fn form(&mut self, ty: SqlType, scope: &Scope, depth: usize) -> String {
        let form = self.random.pick(FORMS);
        let is_grouped = form.family == "aggregates" || form.family == "functions over windows";
        // An example's own table is none of the program's; the names of a lambda's parameters are its own.
        let has_table = form.example.contains(" FROM t");
        if (is_grouped && scope.grouped.is_none()) || has_table {
            return self.leaf(ty, scope);
        }
        let has_lambda = form.example.contains("->");
        let mut text = String::new();
        let mut word = String::new();
        for c in form.example.chars().chain([' ']) {
            if c.is_alphanumeric() || c == '_' || c == '.' {
                word.push(c);
                continue;
            }
            let ty = match word.as_str() {
                "i" => Some(SqlType::Integer),
                "x" if !has_lambda => Some(SqlType::Decimal { precision: 9, scale: 2 }),
                "s" => Some(SqlType::VARCHAR),
                "b" => Some(SqlType::Boolean),
                "d" => Some(SqlType::Date),
                "ts" => Some(SqlType::Timestamp),
                _ => None,
            };
            match ty {
                Some(ty) => text += &self.operand(ty, scope, depth.min(1)),
                None => text += &word,
            }
            word.clear();
            text.push(c);
        }
        match ty {
            SqlType::Boolean => format!("(({text}) IS NULL)"),
            ty => format!("IF(({text}) IS NULL, {}, {})", self.leaf(ty, scope), self.leaf(ty, scope)),
        }
    }

    fn cast(&mut self, ty: SqlType, scope: &Scope, depth: usize) -> String {
        let from = (0..CHOICES).map(|_| types::any_type(&mut self.random)).find(|from| types::castable(*from, ty));
        let value = self.expr(from.unwrap_or(ty), scope, depth);
        let to = types::spelling(&mut self.random, ty);
        match self.random.below(4) {
            0 => format!("({value})::{to}"),
            1 => format!("TRY_CAST({value} AS {to})"),
            2 => format!("SAFE_CAST({value} AS {to})"),
            _ => format!("CAST({value} AS {to})"),
        }
    }

    fn choice(&mut self, ty: SqlType, scope: &Scope, depth: usize) -> String {
        let value = |generator: &mut Self, ty| generator.expr(ty, scope, depth);
        match self.random.below(8) {
            0 => {
                let (a, b, c) = (value(self, SqlType::Boolean), value(self, ty), value(self, ty));
                format!("CASE WHEN {a} THEN {b} ELSE {c} END")
            }
            1 => {
                let key = types::any_type(&mut self.random);
                let (a, b, c, d) = (value(self, key), value(self, key), value(self, ty), value(self, ty));
                format!("CASE {a} WHEN {b} THEN {c} ELSE {d} END")
            }
            2 => format!("COALESCE({}, {})", value(self, ty), value(self, ty)),
            3 => format!("IF({}, {}, {})", value(self, SqlType::Boolean), value(self, ty), value(self, ty)),
            4 => format!("NULLIF({}, {})", value(self, ty), value(self, ty)),
            5 => format!("GREATEST({}, {})", value(self, ty), value(self, ty)),
            6 => self.user_call(ty, scope, depth),
            _ => format!("({})", value(self, ty)),
        }
    }

    fn user_call(&mut self, ty: SqlType, scope: &Scope, depth: usize) -> String {
        let fitting: Vec<_> =
            self.user_functions.iter().filter(|(_, _, result)| result.same_family(ty)).cloned().collect();
        if fitting.is_empty() {
            return self.leaf(ty, scope);
        }
        let (name, parameters, _) = self.random.pick(&fitting).clone();
        let arguments: Vec<String> = parameters.into_iter().map(|ty| self.expr(ty, scope, depth)).collect();
        format!("{name}({})", arguments.join(", "))
    }

    /// What the type's structure allows: conditions, elements of arrays, fields, lambdas.
    fn structure(&mut self, ty: SqlType, scope: &Scope, depth: usize) -> String {
        match ty {
            SqlType::Boolean => self.condition(scope, depth),
            SqlType::Array(element) if self.random.chance(50) => {
                let source = types::column_type(&mut self.random);
                let array = self.expr(SqlType::array(source), scope, depth);
                let name = self.name("e");
                let mut inner = scope.plain();
                inner.columns.push(Column { text: name.clone(), ty: source });
                format!("TRANSFORM({array}, {name} -> {})", self.expr(*element, &inner, depth))
            }
            SqlType::Array(element) => {
                let elements: Vec<String> =
                    (0..1 + self.random.below(3)).map(|_| self.expr(*element, scope, depth)).collect();
                format!("ARRAY[{}]", elements.join(", "))
            }
            SqlType::Map(entry) => {
                format!("MAP[{}, {}]", self.expr(entry.0.0, scope, depth), self.expr(entry.0.1, scope, depth))
            }
            SqlType::Row(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|field| self.expr(field.columntype.ty, scope, depth)).collect();
                format!("ROW({})", fields.join(", "))
            }
            SqlType::Variant => format!("CAST({} AS VARIANT)", {
                let from = types::any_type(&mut self.random);
                self.expr(from, scope, depth)
            }),
            _ => match self.random.below(4) {
                0 => format!(
                    "({})[{}]",
                    self.expr(SqlType::array(ty), scope, depth),
                    self.expr(SqlType::Integer, scope, 0)
                ),
                1 => {
                    let key = types::column_type(&mut self.random);
                    format!("({})[{}]", self.expr(SqlType::map(key, ty), scope, depth), self.expr(key, scope, 0))
                }
                2 => format!("CAST(({})['a'] AS {ty})", self.expr(SqlType::Variant, scope, depth)),
                _ => {
                    let field = feldc_value::RowField {
                        name: feldc_value::Part::name("f"),
                        columntype: feldc_value::ColumnType::new(ty, true),
                    };
                    format!("({}).f", self.expr(SqlType::row(vec![field]), scope, depth))
                }
            },
        }
    }

    pub fn condition(&mut self, scope: &Scope, depth: usize) -> String {
        let ty = types::any_type(&mut self.random);
        let b = SqlType::Boolean;
        match self.random.below(14) {
            0..=2 => {
                let symbol = *self.random.pick(&[
                    "=",
                    "<>",
                    "<",
                    "<=",
                    ">",
                    ">=",
                    "<=>",
                    "IS DISTINCT FROM",
                    "IS NOT DISTINCT FROM",
                ]);
                format!("{} {symbol} {}", self.operand(ty, scope, depth), self.operand(ty, scope, depth))
            }
            3 => format!("{} AND {}", self.operand(b, scope, depth), self.operand(b, scope, depth)),
            4 => format!("{} OR {}", self.operand(b, scope, depth), self.operand(b, scope, depth)),
            5 => format!("NOT {}", self.operand(b, scope, depth)),
            6 => format!(
                "{} {}IN ({}, {})",
                self.operand(ty, scope, depth),
                self.random.pick(&["", "NOT "]),
                self.expr(ty, scope, depth),
                self.expr(ty, scope, 0)
            ),
            7 => format!(
                "{} {} {} AND {}",
                self.operand(ty, scope, depth),
                self.random.pick(&["BETWEEN", "NOT BETWEEN", "BETWEEN SYMMETRIC"]),
                self.operand(ty, scope, 0),
                self.operand(ty, scope, 0)
            ),
            8 => {
                let test = *self.random.pick(&[
                    "IS NULL",
                    "IS NOT NULL",
                    "IS TRUE",
                    "IS NOT FALSE",
                    "IS UNKNOWN",
                    "IS NOT UNKNOWN",
                ]);
                let ty = if test.ends_with("NULL") { ty } else { b };
                format!("{} {test}", self.operand(ty, scope, depth))
            }
            9 => {
                let like = *self.random.pick(&["LIKE", "NOT ILIKE", "SIMILAR TO", "RLIKE", "~", "!~*", "~~"]);
                format!(
                    "{} {like} {}",
                    self.operand(SqlType::VARCHAR, scope, depth),
                    self.operand(SqlType::VARCHAR, scope, 0)
                )
            }
            10 => format!("EXISTS ({})", self.query(None, scope, depth.min(1)).0),
            11 => {
                let (query, types) = self.query(Some(&[ty]), scope, depth.min(1));
                let ty = types.first().map_or(ty, |column| column.ty);
                let test = *self.random.pick(&["IN", "NOT IN", "= ANY", "> ALL", "<> SOME"]);
                format!("{} {test} ({query})", self.operand(ty, scope, depth.min(1)))
            }
            12 => {
                let test = *self.random.pick(&["= ANY", "> ALL", "<> SOME"]);
                format!("{} {test} ({})", self.operand(ty, scope, depth), self.expr(SqlType::array(ty), scope, depth))
            }
            _ => {
                let period = *self.random.pick(&["OVERLAPS", "CONTAINS", "EQUALS", "PRECEDES", "IMMEDIATELY SUCCEEDS"]);
                let ends: Vec<String> = (0..4).map(|_| self.expr(SqlType::Timestamp, scope, depth.min(1))).collect();
                format!("({}, {}) {period} ({}, {})", ends[0], ends[1], ends[2], ends[3])
            }
        }
    }

    fn subquery(&mut self, ty: SqlType, scope: &Scope, depth: usize) -> String {
        match ty {
            SqlType::Boolean => self.condition(scope, depth),
            SqlType::Array(element) => format!("ARRAY({})", self.query(Some(&[*element]), scope, depth.min(1)).0),
            SqlType::Map(entry) => format!("MAP({})", self.query(Some(&[entry.0.0, entry.0.1]), scope, depth.min(1)).0),
            ty => format!("({})", self.query(Some(&[ty]), scope, depth.min(1)).0),
        }
    }

    fn aggregate(&mut self, ty: SqlType, scope: &Scope, depth: usize) -> String {
        let under = Scope::of(scope.grouped.clone().unwrap_or_default());
        let any = types::any_type(&mut self.random);
        let distinct = if self.random.chance(15) { "DISTINCT " } else { "" };
        let order = match self.random.chance(30) {
            true => format!(
                " ORDER BY {}{}",
                self.expr(any, &under, depth),
                self.random.pick(&["", " DESC", " NULLS LAST"])
            ),
            false => String::new(),
        };
        let value = |generator: &mut Self, ty| generator.expr(ty, &under, depth);
        let call = match (ty, self.random.below(4)) {
            (SqlType::BigInt, 0) => "COUNT(*)".to_string(),
            (SqlType::BigInt, 1) => format!("COUNT({distinct}{})", value(self, any)),
            (SqlType::BigInt, 2) => format!("COUNTIF({})", value(self, SqlType::Boolean)),
            (SqlType::Boolean, 0 | 1) => {
                format!("{}({})", self.random.pick(&["EVERY", "SOME", "BOOL_AND"]), value(self, ty))
            }
            (SqlType::Varchar { .. }, 0 | 1) => format!("STRING_AGG({distinct}{}, ','{order})", value(self, ty)),
            (SqlType::Array(element), 0..=2) => {
                let nulls = *self.random.pick(&["", "", " IGNORE NULLS", " RESPECT NULLS"]);
                format!("ARRAY_AGG({distinct}{}{nulls}{order})", value(self, *element))
            }
            (SqlType::Map(entry), 0..=2) => format!("MAP_AGG({}, {})", value(self, entry.0.0), value(self, entry.0.1)),
            (SqlType::Variant, 0) => format!("JSON_AGG({distinct}{}{order})", value(self, any)),
            (SqlType::Variant, 1) => {
                format!("JSON_OBJECT_AGG({}, {})", value(self, SqlType::VARCHAR), value(self, any))
            }
            (ty, 0) if ty.is_numeric() => {
                format!("{}({}, {})", self.random.pick(PAIRS), value(self, ty), value(self, ty))
            }
            (ty, 1) => {
                let continuous = ty.is_numeric() && self.random.chance(50);
                let name = if continuous { "PERCENTILE_CONT" } else { "PERCENTILE_DISC" };
                format!(
                    "{name}({}) WITHIN GROUP (ORDER BY {})",
                    self.random.pick(&["0.5", "0", "1", "0.25"]),
                    value(self, ty)
                )
            }
            (ty, 2) => {
                format!("{}({}, {})", self.random.pick(&["ARG_MIN", "ARG_MAX"]), value(self, ty), value(self, any))
            }
            (ty, _) => {
                let names = if ty.is_numeric() { SAME } else { &SAME[..4] };
                let name = *self.random.pick(names);
                let distinct = if name == "MODE" { "" } else { distinct };
                format!("{name}({distinct}{})", value(self, ty))
            }
        };
        match self.random.chance(15) {
            true => format!("{call} FILTER (WHERE {})", self.expr(SqlType::Boolean, &under, depth)),
            false => call,
        }
    }

    /// A function over a window.
    fn window(&mut self, ty: SqlType, scope: &Scope, depth: usize) -> String {
        let plain = Scope { columns: scope.columns.clone(), grouped: Some(scope.columns.clone()), windows: false };
        let mut window = vec![];
        if self.random.chance(60) {
            let key = types::column_type(&mut self.random);
            window.push(format!("PARTITION BY {}", self.expr(key, &plain.plain(), 0)));
        }
        let ranks = ty.is_integer() && self.random.chance(60);
        if ranks || self.random.chance(3) {
            let key = types::column_type(&mut self.random);
            window.push(format!(
                "ORDER BY {}{}",
                self.expr(key, &plain.plain(), 1),
                self.random.pick(&["", " DESC", " NULLS LAST"])
            ));
        }
        if !ranks && self.random.chance(3) {
            let frames =
                ["ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", "RANGE UNBOUNDED PRECEDING", "GROUPS 2 PRECEDING"];
            window.push(self.random.pick(&frames).to_string());
        }
        let call = match ranks {
            true => self.random.pick(&["ROW_NUMBER()", "RANK()", "DENSE_RANK()", "NTILE(3)"]).to_string(),
            false if self.random.chance(3) => {
                format!(
                    "{}({})",
                    self.random.pick(&["LAG", "LEAD", "FIRST_VALUE", "LAST_VALUE"]),
                    self.expr(ty, &plain.plain(), depth)
                )
            }
            false => self.aggregate(ty, &plain, depth.min(1)),
        };
        format!("{call} OVER ({})", window.join(" "))
    }
}
