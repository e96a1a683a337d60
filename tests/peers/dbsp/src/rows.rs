//! What the programs on the `dbsp` crate share: rows as the peer's compiler declares them.

use bench_data::tpch;
use feldera_sqllib::{Date, SqlDecimal, SqlString};

pub type Money = SqlDecimal<15, 2>;

pub fn money(hundredths: i64) -> Money {
    Money::new(hundredths as i128, 2).expect("fits")
}

pub fn text(text: &str) -> SqlString {
    SqlString::from(text)
}

pub fn date(days: i32) -> Date {
    Date::from_days(days)
}

feldera_macros::declare_tuple! { Tup16<T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16> }

pub type Line = Tup16<
    i32,
    i32,
    i32,
    i32,
    Money,
    Money,
    Money,
    Money,
    SqlString,
    SqlString,
    Date,
    Date,
    Date,
    SqlString,
    SqlString,
    SqlString,
>;

pub fn line(l: &tpch::Line) -> Line {
    Tup16(
        l.orderkey,
        l.partkey,
        l.suppkey,
        l.linenumber,
        money(l.quantity),
        money(l.extendedprice),
        money(l.discount),
        money(l.tax),
        text(&l.returnflag),
        text(&l.linestatus),
        date(l.shipdate),
        date(l.commitdate),
        date(l.receiptdate),
        text(&l.shipinstruct),
        text(&l.shipmode),
        text(&l.comment),
    )
}
