//! Syntax trees as text: one statement after another, each part in the order it was written.

use super::statement::*;
use crate::plan::{FunctionKind, ViewKind};
use std::fmt::{self, Display, Formatter};

impl Display for Name {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.quoted {
            true => write!(f, "\"{}\"", self.text.replace('"', "\"\"")),
            false => f.write_str(&self.text),
        }
    }
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let text = super::with_stack(self.operators, || match &self.kind {
            StatementKind::CreateTable(table) => table.to_string(),
            StatementKind::CreateView(view) => view.to_string(),
            StatementKind::CreateIndex(index) => {
                format!("CREATE INDEX {} ON {} ({})", index.name, index.view, list(&index.columns))
            }
            StatementKind::CreateType(ty) => ty.to_string(),
            StatementKind::CreateFunction(function) => function.to_string(),
            StatementKind::Set(set) => format!("SET {} = '{}'", set.name, set.value.replace('\'', "''")),
        });
        writeln!(f, "{text};")
    }
}

fn list(names: &[Name]) -> String {
    names.iter().map(Name::to_string).collect::<Vec<_>>().join(", ")
}

fn properties(properties: &[Property]) -> String {
    if properties.is_empty() {
        return String::new();
    }
    let pairs: Vec<String> =
        properties.iter().map(|p| format!("'{}' = '{}'", p.key, p.value.replace('\'', "''"))).collect();
    format!(" WITH ({})", pairs.join(", "))
}

impl Display for CreateTable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "CREATE TABLE {}{} (", if self.if_not_exists { "IF NOT EXISTS " } else { "" }, self.name)?;
        let columns = self.columns.iter().map(ColumnDefinition::to_string);
        let lines: Vec<String> = columns.chain(self.constraints.iter().map(TableConstraint::to_string)).collect();
        write!(f, "    {}\n){}", lines.join(",\n    "), properties(&self.properties))
    }
}

impl Display for ColumnDefinition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.ty)?;
        self.attributes.iter().try_for_each(|attribute| match &attribute.kind {
            AttributeKind::Null => f.write_str(" NULL"),
            AttributeKind::NotNull => f.write_str(" NOT NULL"),
            AttributeKind::PrimaryKey => f.write_str(" PRIMARY KEY"),
            AttributeKind::Unique => f.write_str(" UNIQUE"),
            AttributeKind::References { table, columns } if columns.is_empty() => write!(f, " REFERENCES {table}"),
            AttributeKind::References { table, columns } => write!(f, " REFERENCES {table} ({})", list(columns)),
            AttributeKind::Default(expr) => write!(f, " DEFAULT {expr}"),
            AttributeKind::Lateness(expr) => write!(f, " LATENESS {expr}"),
            AttributeKind::Watermark(expr) => write!(f, " WATERMARK {expr}"),
            AttributeKind::Interned => f.write_str(" INTERNED"),
        })
    }
}

impl Display for TableConstraint {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            TableConstraint::PrimaryKey { columns, .. } => write!(f, "PRIMARY KEY ({})", list(columns)),
            TableConstraint::Unique { columns } => write!(f, "UNIQUE ({})", list(columns)),
            TableConstraint::ForeignKey { columns, table, referred, .. } => {
                write!(f, "FOREIGN KEY ({}) REFERENCES {table}", list(columns))?;
                if referred.is_empty() { Ok(()) } else { write!(f, " ({})", list(referred)) }
            }
        }
    }
}

impl Display for TypeField {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", self.name, self.ty, if self.nullable { "" } else { " NOT NULL" })
    }
}

fn fields(fields: &[TypeField]) -> String {
    fields.iter().map(TypeField::to_string).collect::<Vec<_>>().join(", ")
}

impl Display for CreateType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.definition {
            TypeDefinition::Alias(ty, _) => write!(f, "CREATE TYPE {} AS {ty}", self.name),
            TypeDefinition::Row(parts) => write!(f, "CREATE TYPE {} AS ({})", self.name, fields(parts)),
        }
    }
}

impl Display for CreateFunction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            FunctionKind::Scalar => "FUNCTION",
            FunctionKind::Linear => "LINEAR AGGREGATE",
            FunctionKind::Aggregate => "AGGREGATE",
        };
        write!(f, "CREATE {kind} {}({}) RETURNS {}", self.name, fields(&self.parameters), self.returns.ty)?;
        f.write_str(if self.returns.nullable { "" } else { " NOT NULL" })?;
        self.body.as_ref().map_or(Ok(()), |body| write!(f, " AS {body}"))
    }
}

impl Display for CreateView {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            ViewKind::Local => "LOCAL ",
            ViewKind::Materialized => "MATERIALIZED ",
            ViewKind::Output => "",
        };
        write!(f, "CREATE {kind}VIEW {}", self.name)?;
        if !self.columns.is_empty() {
            write!(f, " ({})", list(&self.columns))?;
        }
        write!(f, "{} AS {}", properties(&self.properties), self.query)
    }
}
