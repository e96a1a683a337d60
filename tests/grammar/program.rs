//! Random programs: statements of every kind over random tables.

use super::expression::{Column, Scope};
use super::types;
use feldc::library;
use feldc::steps::stream::Random;
use feldc_value::SqlType;
use feldc_value::function::{Function, Param, Returns};
use std::collections::BTreeMap;
use std::mem::{Discriminant, discriminant};

/// A table, a view or a common table expression.
#[derive(Clone, Debug)]
pub struct Relation {
    pub name: String,
    pub columns: Vec<Column>,
}

/// The functions of the registry by what they give, then by name: each name is as likely as another.
pub struct Functions {
    by_result: Vec<(Discriminant<SqlType>, Vec<Vec<&'static Function>>)>,
    /// Those whose result is of an argument's type, or is derived from the arguments.
    other: Vec<Vec<&'static Function>>,
}

/// Entries that programs cannot name.
const UNNAMED: &[&str] = &["FIELD", "FIELD NOT NULL", "ANY TRUE", "SELECTED", "JSON_AS", "AT_MOST_ONE"];

fn called() -> impl Iterator<Item = &'static Function> {
    library::functions().filter(|function| !UNNAMED.contains(&function.name))
}

type ByName = BTreeMap<&'static str, Vec<&'static Function>>;

impl Functions {
    fn new() -> Functions {
        let mut by_result: Vec<(Discriminant<SqlType>, ByName)> = vec![];
        let mut other = ByName::new();
        for function in called() {
            let Some(ty) = result_family(function) else {
                other.entry(function.name).or_default().push(function);
                continue;
            };
            let family = family(ty);
            match by_result.iter_mut().find(|(known, _)| *known == family) {
                Some((_, names)) => names.entry(function.name).or_default().push(function),
                None => by_result.push((family, BTreeMap::from([(function.name, vec![function])]))),
            }
        }
        let by_result = by_result.into_iter().map(|(family, names)| (family, names.into_values().collect())).collect();
        Functions { by_result, other: other.into_values().collect() }
    }

    /// A function that gives a type, or may.
    pub fn pick(&self, ty: SqlType, random: &mut Random) -> Option<&'static Function> {
        let names = self.by_result.iter().find(|(known, _)| *known == family(ty)).map(|(_, names)| names);
        let overloads = match names {
            Some(names) if random.chance(75) => random.pick(names),
            _ => random.pick(&self.other),
        };
        overloads.get(random.below(overloads.len() as u64) as usize).copied()
    }
}

/// One type for those that [`SqlType::same_family`] takes together.
fn family(ty: SqlType) -> Discriminant<SqlType> {
    discriminant(&match ty {
        ty if ty.is_text() => SqlType::VARCHAR,
        ty if ty.is_binary() => SqlType::VARBINARY,
        ty => ty,
    })
}

fn result_family(function: &Function) -> Option<SqlType> {
    match (function.returns, function.parameters.first()) {
        (Returns::Is(SqlType::Null), _) => None,
        (Returns::Is(ty), _) => Some(ty),
        (Returns::Argument(at), _) => match function.parameter(at) {
            Some(Param::Is(ty)) => Some(ty),
            _ => None,
        },
        (Returns::Derived(_), Some(Param::Is(SqlType::Decimal { .. }))) => {
            Some(SqlType::Decimal { precision: 38, scale: 0 })
        }
        _ => None,
    }
}

/// Makes the programs of a seed.
pub struct Generator {
    pub random: Random,
    pub functions: &'static Functions,
    pub relations: Vec<Relation>,
    /// Name, parameters, result.
    pub user_functions: Vec<(String, Vec<SqlType>, SqlType)>,
    /// Percent of the expressions that have another type than the one wanted.
    pub faults: u64,
    names: u32,
}

impl Generator {
    pub fn new(seed: u64) -> Generator {
        static FUNCTIONS: std::sync::LazyLock<Functions> = std::sync::LazyLock::new(Functions::new);
        let mut random = Random::new(seed);
        let faults = *random.pick(&[0, 0, 0, 0, 2, 10]);
        let (relations, user_functions) = (vec![], vec![]);
        Generator { random, functions: &FUNCTIONS, relations, user_functions, faults, names: 0 }
    }

    /// A name that no other thing of the program has; an odd one now and then.
    pub fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        let number = self.names;
        match self.random.below(40) {
            0 => format!("\"{prefix} {number} É\""),
            1 => format!("\"SELECT {number}\""),
            2 => format!("été_{number}"),
            _ => format!("{prefix}{number}"),
        }
    }

    pub fn program(&mut self) -> String {
        let mut text = String::new();
        if self.random.chance(5) {
            text += *self.random.pick(&[
                "SET on_error = 'fail';\n",
                "SET on_error = 'fail';\n",
                "SET enforce_positive_inputs = ON;\n",
                "SET enforce_positive_inputs = ON;\n",
                "SET enforce_positive_inputs = ON;\n",
                "SET nonsense = 1;\n",
            ]);
        }
        for _ in 0..1 + self.random.below(3) {
            text += &self.create_table();
        }
        if self.random.chance(12) {
            text += &self.create_function();
        }
        if self.random.chance(2) {
            text += &self.odd_statement();
        }
        for _ in 0..1 + self.random.below(3) {
            text += &self.create_view();
        }
        text
    }

    fn create_table(&mut self) -> String {
        let name = self.name("t");
        let mut columns = vec![];
        let mut definitions = vec![];
        for _ in 0..1 + self.random.below(6) {
            let column = Column { text: self.name("c"), ty: types::column_type(&mut self.random) };
            let mut definition = format!("{} {}", column.text, types::spelling(&mut self.random, column.ty));
            match self.random.below(12) {
                0..=2 => definition += " NOT NULL",
                3 if columns.is_empty() => definition += " NOT NULL PRIMARY KEY",
                4 => definition += &format!(" DEFAULT {}", types::constant(&mut self.random, column.ty)),
                5 if self.random.chance(1) => definition += " LATENESS INTERVAL 1 HOUR",
                _ => (),
            }
            definitions.push(definition);
            columns.push(column);
        }
        let with = match self.random.below(12) {
            0 => " WITH ('append_only' = 'true')",
            1 => " WITH ('materialized' = 'true')",
            _ => "",
        };
        let text = format!("CREATE TABLE {name} ({}){with};\n", definitions.join(", "));
        self.relations.push(Relation { name, columns });
        text
    }

    fn create_function(&mut self) -> String {
        let name = self.name("f");
        let result = types::column_type(&mut self.random);
        let parameters: Vec<Column> = (0..self.random.below(3))
            .map(|_| Column { text: self.name("x"), ty: types::column_type(&mut self.random) })
            .collect();
        let body = self.expr(result, &Scope::of(parameters.clone()), 2);
        let listed: Vec<String> = parameters.iter().map(|column| format!("{} {}", column.text, column.ty)).collect();
        self.user_functions.push((name.clone(), parameters.iter().map(|column| column.ty).collect(), result));
        format!("CREATE FUNCTION {name}({}) RETURNS {result} AS ({body});\n", listed.join(", "))
    }

    /// What is rare, refused, or both.
    fn odd_statement(&mut self) -> String {
        let relation = self.random.pick(&self.relations).clone();
        let (name, column) = (relation.name, relation.columns[0].text.clone());
        match self.random.below(12) {
            0 => format!("LATENESS {name}.{column} INTERVAL 1 DAY;\n"),
            1 => format!("INSERT INTO {name} VALUES (1);\n"),
            2 => format!("DROP TABLE {name};\n"),
            3 => format!("DECLARE RECURSIVE VIEW r ({column} BIGINT NOT NULL);\n"),
            4 => "CREATE LINEAR AGGREGATE la (x BIGINT) RETURNS BIGINT;\n".to_string(),
            5 => format!("CREATE INDEX ix ON {name}({column});\n"),
            6 => "CREATE TYPE pt AS (x INT, y VARCHAR ARRAY); CREATE TABLE tp (p pt, q pt ARRAY);\n".to_string(),
            7 => "CREATE TYPE num AS DECIMAL(10, 2); CREATE TABLE tn (n num NOT NULL);\n".to_string(),
            8 => format!("CREATE TABLE tf (k BIGINT FOREIGN KEY REFERENCES {name}({column}));\n"),
            9 => format!("DELETE FROM {name} WHERE {column} IS NULL;\n"),
            10 => "CREATE FUNCTION jsonstring_as_pt(s VARCHAR) RETURNS BIGINT;\n".to_string(),
            _ => format!("UPDATE {name} SET {column} = NULL;\n"),
        }
    }

    fn create_view(&mut self) -> String {
        let depth = *self.random.pick(&[1, 1, 2, 2, 3]);
        let (mut query, columns) = self.query(None, &Scope::default(), depth);
        // Intervals cannot be columns of a view; in a text they can be seen.
        if let Some(interval) = columns.iter().find(|column| column.ty.is_interval()) {
            query =
                format!("SELECT * EXCLUDE ({0}), CAST({0} AS VARCHAR) AS shown FROM ({query}) AS whole", interval.text);
        }
        let name = self.name("v");
        let kind = *self.random.pick(&["", "", "", "LOCAL ", "MATERIALIZED "]);
        let mut text = format!("CREATE {kind}VIEW {name} AS {query};\n");
        if self.random.chance(4) && kind != "LOCAL " {
            text += &format!("CREATE INDEX {}_key ON {name}({});\n", name.replace(['"', ' '], "_"), columns[0].text);
        }
        let columns = columns.into_iter().filter(|column| !column.ty.is_interval()).collect::<Vec<_>>();
        if !columns.is_empty() {
            self.relations.push(Relation { name, columns });
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use feldc::driver;
    use std::collections::BTreeSet;

    #[test]
    fn a_seed_gives_one_program() {
        let program = |seed| Generator::new(seed).program();
        assert_eq!(program(7), program(7));
        assert_ne!(program(7), program(8));
    }

    #[test]
    fn many_programs_are_right_and_some_are_not() {
        let (mut right, mut codes) = (0, BTreeSet::new());
        for seed in 0..200 {
            match driver::compile("p.sql", &Generator::new(seed).program()) {
                Ok(_) => right += 1,
                Err(message) => drop(codes.insert(message.get(..12).unwrap_or_default().to_string())),
            }
        }
        assert!((40..190).contains(&right), "{right} of 200 programs compile");
        assert!(codes.len() >= 4, "{codes:?}");
    }

    #[test]
    fn every_function_is_called() {
        let functions = Functions::new();
        let listed: BTreeSet<_> = functions
            .by_result
            .iter()
            .flat_map(|(_, names)| names)
            .chain(&functions.other)
            .flatten()
            .map(|function| function.path)
            .collect();
        assert!(called().all(|function| listed.contains(function.path)));
    }
}
