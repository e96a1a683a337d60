//! Aggregates: a sum of squares, a weighted mean, the longest common prefix, a product.
use feldera_sqllib::*;
use std::error::Error;

pub type squares_accumulator_type = i64;

pub fn squares_map(x: i64) -> squares_accumulator_type {
    x * x
}

pub fn squares_post(sum: squares_accumulator_type) -> i64 {
    sum
}

#[derive(Default)]
pub struct weighted_accumulator_type(f64, f64);

impl std::ops::AddAssign for weighted_accumulator_type {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
        self.1 += other.1;
    }
}

pub fn weighted_map(value: Option<F64>, weight: i32) -> weighted_accumulator_type {
    value.map_or_else(Default::default, |value| weighted_accumulator_type(value.0 * weight as f64, weight as f64))
}

pub fn weighted_post(sum: weighted_accumulator_type) -> Option<F64> {
    (sum.1 != 0.0).then(|| F64(sum.0 / sum.1))
}

pub type prefix_accumulator_type = Option<String>;

pub fn prefix_init() -> prefix_accumulator_type {
    None
}

pub fn prefix_add(state: &mut prefix_accumulator_type, text: SqlString) -> Result<(), Box<dyn Error>> {
    if text.contains('!') {
        return Err(format!("{text} is shouted").into());
    }
    let so_far = state.take().unwrap_or_else(|| text.str().to_string());
    let common = so_far.chars().zip(text.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect();
    *state = Some(common);
    Ok(())
}

pub fn prefix_finish(state: prefix_accumulator_type) -> Result<Option<SqlString>, Box<dyn Error>> {
    Ok(state.map(SqlString::from))
}
