//! A small table and its rows in words, for the tests of the formats.

use super::{Parsed, Parser};
use crate::relation::table_layout;
use crate::schema::{Field, Table};
use feldc_engine::Batch;
use feldc_value::{ColumnType, SqlType, Value};

/// `t (k BIGINT NOT NULL, v VARCHAR, d DECIMAL(38, 2), b BOOLEAN NOT NULL DEFAULT TRUE, "Q" DOUBLE)`; `keyed` by k.
pub fn table(keyed: bool) -> Table {
    let field = |name: &str, ty: SqlType, nullable: bool| Field {
        name: name.to_owned(),
        case_sensitive: name == "Q",
        columntype: ColumnType::new(ty, nullable),
        default: (name == "b").then(|| "true".to_owned()),
    };
    Table {
        name: "t".to_owned(),
        case_sensitive: false,
        fields: vec![
            field("k", SqlType::BigInt, false),
            field("v", SqlType::VARCHAR, true),
            field("d", SqlType::Decimal { precision: 38, scale: 2 }, true),
            field("b", SqlType::Boolean, false),
            field("Q", SqlType::Double, true),
        ],
        physical: vec![0, 2, 3, 4, 1],
        primary_key: if keyed { vec![0] } else { Vec::new() },
        materialized: false,
        connectors: serde_json::Value::Null,
    }
}

/// Rows in SQL order with their weights, e.g. `+1 1 'a' 5 true null`.
pub fn shown(table: &Table, rows: &Batch) -> Vec<String> {
    let layout = table_layout(table);
    let show = |value: &Value| match value {
        Value::Null => "null".to_owned(),
        Value::Text(text) => format!("{text:?}"),
        Value::BigInt(number) => number.to_string(),
        Value::Decimal(units) => units.to_string(),
        Value::Boolean(flag) => flag.to_string(),
        Value::Double(number) => format!("{number:?}"),
        other => format!("{other:?}"),
    };
    let line = |(row, weight): (&[u8], i64)| {
        let mut values = vec![String::new(); table.fields.len()];
        for (value, &position) in layout.decode(row).iter().zip(&table.physical) {
            values[position] = show(value);
        }
        format!("{weight:+} {}", values.join(" "))
    };
    rows.iter().map(line).collect()
}

/// Feeds `text` in chunks of `size` bytes to a fresh parser.
pub fn parse(table: &Table, parser: impl Fn() -> Box<dyn Parser>, text: &[u8], size: usize) -> (Vec<String>, Parsed) {
    let mut parser = parser();
    let mut parsed = Parsed { rows: Batch::new(table_layout(table).stride()), ..Parsed::default() };
    text.chunks(size.max(1)).for_each(|chunk| parser.parse(chunk, &mut parsed));
    parser.finish(&mut parsed);
    (shown(table, &parsed.rows), parsed)
}

/// Parses whole and in chunks of many sizes: the result must be one and the same.
pub fn parse_split(table: &Table, parser: impl Fn() -> Box<dyn Parser>, text: &[u8]) -> (Vec<String>, Parsed) {
    let (rows, whole) = parse(table, &parser, text, usize::MAX);
    for size in (1..text.len()).filter(|size| *size < 40 || size % 17 == 0) {
        let (split_rows, split) = parse(table, &parser, text, size);
        assert_eq!((&split_rows, &split.rejected), (&rows, &whole.rejected), "in chunks of {size} bytes");
    }
    (rows, whole)
}
