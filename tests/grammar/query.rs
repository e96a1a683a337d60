//! Random queries: every clause and every kind of table expression.

use super::expression::{Column, Scope};
use super::program::{Generator, Relation};
use super::types;
use feldc_value::SqlType;

impl Generator {
    /// A query, and its columns: of the wanted types, or some.
    pub fn query(&mut self, wanted: Option<&[SqlType]>, outer: &Scope, depth: usize) -> (String, Vec<Column>) {
        let wanted: Vec<SqlType> = match wanted {
            Some(types) => types.to_vec(),
            None => (0..1 + self.random.below(4)).map(|_| types::any_type(&mut self.random)).collect(),
        };
        let (mut text, columns) = match self.random.below(16) {
            0 | 1 if depth > 0 => self.set_operation(&wanted, outer, depth - 1),
            2 if depth > 0 => self.with(&wanted, outer, depth - 1),
            3 => self.values(&wanted, outer),
            _ => self.select(&wanted, outer, depth),
        };
        if self.random.chance(15) {
            text += &format!(
                " ORDER BY {}{}",
                1 + self.random.below(wanted.len() as u64),
                self.random.pick(&["", " DESC", " NULLS FIRST"])
            );
        }
        if self.random.chance(12) {
            text += *self.random.pick(&[
                " LIMIT 2",
                " LIMIT 1 OFFSET 1",
                " LIMIT 0",
                " OFFSET 1",
                " FETCH FIRST 2 ROWS ONLY",
                " LIMIT ALL",
            ]);
        }
        (text, columns)
    }

    fn named(&mut self, wanted: &[SqlType]) -> Vec<Column> {
        wanted.iter().map(|ty| Column { text: self.name("c"), ty: *ty }).collect()
    }

    fn set_operation(&mut self, wanted: &[SqlType], outer: &Scope, depth: usize) -> (String, Vec<Column>) {
        let (left, columns) = self.select(wanted, outer, depth);
        let (right, _) = self.query(Some(wanted), outer, depth);
        let operation = *self.random.pick(&[
            "UNION",
            "UNION ALL",
            "EXCEPT",
            "EXCEPT ALL",
            "INTERSECT",
            "INTERSECT ALL",
            "MINUS",
            "UNION DISTINCT",
        ]);
        (format!("{left} {operation} ({right})"), columns)
    }

    fn with(&mut self, wanted: &[SqlType], outer: &Scope, depth: usize) -> (String, Vec<Column>) {
        let (query, columns) = self.query(None, outer, depth);
        let name = self.name("w");
        let known = self.relations.len();
        self.relations.push(Relation { name: name.clone(), columns });
        let (body, columns) = self.select(wanted, outer, depth);
        self.relations.truncate(known);
        let recursive = if self.random.chance(5) { "RECURSIVE " } else { "" };
        (format!("WITH {recursive}{name} AS ({query}) {body}"), columns)
    }

    fn values(&mut self, wanted: &[SqlType], outer: &Scope) -> (String, Vec<Column>) {
        let rows: Vec<String> = (0..1 + self.random.below(3))
            .map(|_| {
                let row: Vec<String> = wanted.iter().map(|ty| self.expr(*ty, &outer.plain(), 0)).collect();
                format!("({})", row.join(", "))
            })
            .collect();
        let columns = self.named(wanted);
        let names: Vec<&str> = columns.iter().map(|column| column.text.as_str()).collect();
        let alias = self.name("v");
        (format!("SELECT * FROM (VALUES {}) AS {alias}({})", rows.join(", "), names.join(", ")), columns)
    }

    fn select(&mut self, wanted: &[SqlType], outer: &Scope, depth: usize) -> (String, Vec<Column>) {
        let (from, mut columns) = self.from(outer, depth);
        let own = columns.clone();
        if self.random.chance(40) {
            columns.extend(outer.columns.iter().cloned());
        }
        let plain = Scope::of(columns.clone());
        let filter = match self.random.chance(40) {
            true => format!(" WHERE {}", self.condition(&plain, depth.min(2))),
            false => String::new(),
        };
        let mut scope = Scope { windows: self.random.chance(20), ..plain.clone() };
        let group = match self.random.chance(30) {
            true => self.group_by(&mut scope, &own, columns),
            false => String::new(),
        };
        let mut items = vec![];
        let outputs = self.named(wanted);
        for column in &outputs {
            let expr = self.expr(column.ty, &scope, depth);
            items.push(format!("{expr} AS {}", column.text));
        }
        let having = match scope.grouped.is_some() && self.random.chance(20) {
            true => format!(" HAVING {}", self.expr(SqlType::Boolean, &scope, depth.min(2))),
            false => String::new(),
        };
        let qualify = match scope.windows && self.random.chance(30) {
            true => " QUALIFY ROW_NUMBER() OVER (ORDER BY 1) <= 2",
            false => "",
        };
        let distinct = *self.random.pick(&["", "", "", "", "", "DISTINCT ", "ALL ", "DISTINCT ON (1) "]);
        (format!("SELECT {distinct}{}{from}{filter}{group}{having}{qualify}", items.join(", ")), outputs)
    }

    /// GROUP BY, after which expressions see its keys, and aggregates the columns below.
    fn group_by(&mut self, scope: &mut Scope, own: &[Column], columns: Vec<Column>) -> String {
        let mut keys: Vec<Column> = vec![];
        for _ in 0..self.random.below(3) {
            match self.random.chance(70) && !own.is_empty() {
                true => keys.push(self.random.pick(own).clone()),
                false => {
                    let ty = types::column_type(&mut self.random);
                    keys.push(Column { text: self.expr(ty, &Scope::of(own.to_vec()), 1), ty });
                }
            }
        }
        *scope = Scope { columns: keys.clone(), grouped: Some(columns), windows: false };
        if keys.is_empty() {
            return if self.random.chance(20) { " GROUP BY ()".into() } else { String::new() };
        }
        let list = |keys: &[Column]| keys.iter().map(|key| key.text.as_str()).collect::<Vec<_>>().join(", ");
        let (all, first) = (list(&keys), list(&keys[..1]));
        match self.random.below(12) {
            0 => format!(" GROUP BY ROLLUP ({all})"),
            1 => format!(" GROUP BY CUBE ({all})"),
            2 => format!(" GROUP BY GROUPING SETS (({all}), ({first}), ())"),
            3 => format!(" GROUP BY GROUPING SETS (ROLLUP ({all}), GROUPING SETS (({first}), CUBE ({first})))"),
            4 if self.random.chance(10) => format!(" GROUP BY DISTINCT {first}, ROLLUP ({all})"),
            5 => " GROUP BY ALL".to_string(),
            _ => format!(" GROUP BY {all}"),
        }
    }

    /// The FROM clause and the columns it gives.
    fn from(&mut self, outer: &Scope, depth: usize) -> (String, Vec<Column>) {
        if self.random.chance(6) {
            return (String::new(), vec![]);
        }
        let (mut text, mut columns) = self.table_expression(outer, depth);
        let mut joins = if depth > 0 { self.random.below(3) } else { u64::from(self.random.chance(20)) };
        if self.random.chance(50) {
            joins = 0;
        }
        for at in 0..joins {
            let lateral = self.random.chance(15);
            let scope = if lateral { Scope::of(columns.clone()) } else { outer.plain() };
            let (right, more) = self.table_expression(&scope, depth.saturating_sub(1));
            let right = if lateral && right.starts_with('(') { format!("LATERAL {right}") } else { right };
            let both = Scope::of(columns.iter().chain(&more).cloned().collect());
            text += &match self.random.below(9) {
                // What stands behind the comma does not see what stands before.
                0 if at + 1 == joins => format!(", {right}"),
                0 | 1 => format!(" CROSS JOIN {right}"),
                2 if at == 0 => format!(" NATURAL {}JOIN {right}", self.random.pick(&["", "LEFT ", "FULL "])),
                kind => {
                    let kind = ["LEFT ", "", "INNER ", "LEFT ", "RIGHT OUTER ", "FULL ", "LEFT "][kind as usize - 2];
                    format!(" {kind}JOIN {right} ON {}", self.join_condition(&columns, &more, &both, depth))
                }
            };
            columns.extend(more);
        }
        (format!(" FROM {text}"), columns)
    }

    fn join_condition(&mut self, left: &[Column], right: &[Column], both: &Scope, depth: usize) -> String {
        let pairs: Vec<(&Column, &Column)> =
            left.iter().flat_map(|l| right.iter().filter(|r| l.ty.same_family(r.ty)).map(move |r| (l, r))).collect();
        match pairs.is_empty() || self.random.chance(25) {
            true => self.condition(both, depth.min(1)),
            false => {
                let (l, r) = *self.random.pick(&pairs);
                format!("{} = {}", l.text, r.text)
            }
        }
    }

    fn table_expression(&mut self, outer: &Scope, depth: usize) -> (String, Vec<Column>) {
        match self.random.below(20) {
            0 | 1 if depth > 0 => {
                let (query, columns) = self.query(None, outer, depth - 1);
                self.aliased(format!("({query})"), &columns)
            }
            2 => {
                let element = types::column_type(&mut self.random);
                let array = self.expr(SqlType::array(element), outer, depth.min(1));
                let (alias, name, place) = (self.name("u"), self.name("c"), self.name("c"));
                let column = Column { text: name.clone(), ty: element };
                match self.random.chance(40) {
                    true => {
                        let text = format!("UNNEST({array}) WITH ORDINALITY AS {alias}({name}, {place})");
                        (text, vec![column, Column { text: place, ty: SqlType::Integer }])
                    }
                    false => (format!("UNNEST({array}) AS {alias}({name})"), vec![column]),
                }
            }
            3 => {
                let (alias, name) = (self.name("g"), self.name("c"));
                let text = format!("GENERATE_SERIES(1, {}) AS {alias}({name})", self.random.below(4));
                (text, vec![Column { text: name, ty: SqlType::BigInt }])
            }
            4 => self.pivoted(),
            _ => {
                let relation = self.random.pick(&self.relations).clone();
                self.aliased(relation.name, &relation.columns)
            }
        }
    }

    /// A table under a new name, with its columns under that.
    fn aliased(&mut self, table: String, columns: &[Column]) -> (String, Vec<Column>) {
        let alias = self.name("a");
        let qualified = columns.iter().map(|column| Column { text: format!("{alias}.{}", column.text), ty: column.ty });
        (format!("{table} AS {alias}"), qualified.collect())
    }

    fn pivoted(&mut self) -> (String, Vec<Column>) {
        let relation = self.random.pick(&self.relations).clone();
        let (name, columns) = (relation.name, relation.columns);
        let column = |generator: &mut Self| generator.random.pick(&columns).clone();
        let (a, b) = (column(self), column(self));
        let alias = self.name("p");
        if self.random.chance(50) {
            let (x, y) = (types::literal(&mut self.random, b.ty), types::literal(&mut self.random, b.ty));
            let call =
                *self.random.pick(if a.ty.is_numeric() { &["SUM", "MIN", "MAX"] } else { &["MIN", "MAX", "MODE"] });
            let text = format!("{name} PIVOT ({call}({}) FOR {} IN ({x} AS p, {y} AS q)) AS {alias}", a.text, b.text);
            return (text, vec![Column { text: format!("{alias}.p"), ty: a.ty }]);
        }
        let (value, label) = (self.name("c"), self.name("c"));
        let nulls = *self.random.pick(&["", "INCLUDE NULLS ", "EXCLUDE NULLS "]);
        let text = format!("{name} UNPIVOT {nulls}({value} FOR {label} IN ({}, {})) AS {alias}", a.text, b.text);
        (text, vec![Column { text: value, ty: a.ty }, Column { text: label, ty: SqlType::VARCHAR }])
    }
}
