//! TPC-H rows in batches: lines with the orders up to the same order key, as a stream would bring them.

use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, RegionGenerator, SupplierGenerator,
};

pub struct Line {
    pub orderkey: i32,
    pub partkey: i32,
    pub suppkey: i32,
    pub linenumber: i32,
    /// Hundredths.
    pub quantity: i64,
    pub extendedprice: i64,
    pub discount: i64,
    pub tax: i64,
    pub returnflag: &'static str,
    pub linestatus: &'static str,
    /// Days since 1970-01-01.
    pub shipdate: i32,
    pub commitdate: i32,
    pub receiptdate: i32,
    pub shipinstruct: &'static str,
    pub shipmode: &'static str,
    pub comment: &'static str,
}

pub struct Order {
    pub orderkey: i32,
    pub custkey: i32,
    pub orderstatus: String,
    pub totalprice: i64,
    pub orderdate: i32,
    pub orderpriority: String,
    pub clerk: String,
    pub shippriority: i32,
    pub comment: String,
}

pub struct Customer {
    pub custkey: i32,
    pub name: String,
    pub address: String,
    pub nationkey: i32,
    pub phone: String,
    pub acctbal: i64,
    pub mktsegment: String,
    pub comment: String,
}

pub struct Supplier {
    pub suppkey: i32,
    pub name: String,
    pub address: String,
    pub nationkey: i32,
    pub phone: String,
    pub acctbal: i64,
    pub comment: String,
}

/// (key, name, region key or none, comment)
pub struct Place {
    pub key: i32,
    pub name: String,
    pub region: i32,
    pub comment: String,
}

pub fn regions(scale: f64) -> Vec<Place> {
    let place = |r: tpchgen::generators::Region<'_>| Place {
        key: r.r_regionkey as i32,
        name: r.r_name.to_string(),
        region: 0,
        comment: r.r_comment.to_string(),
    };
    RegionGenerator::new(scale, 1, 1).iter().map(place).collect()
}

pub fn nations(scale: f64) -> Vec<Place> {
    let place = |n: tpchgen::generators::Nation<'_>| Place {
        key: n.n_nationkey as i32,
        name: n.n_name.to_string(),
        region: n.n_regionkey as i32,
        comment: n.n_comment.to_string(),
    };
    NationGenerator::new(scale, 1, 1).iter().map(place).collect()
}

pub fn customers(scale: f64) -> Vec<Customer> {
    let row = |c: tpchgen::generators::Customer<'_>| Customer {
        custkey: c.c_custkey as i32,
        name: c.c_name.to_string(),
        address: c.c_address.to_string(),
        nationkey: c.c_nationkey as i32,
        phone: c.c_phone.to_string(),
        acctbal: c.c_acctbal.0,
        mktsegment: c.c_mktsegment.to_string(),
        comment: c.c_comment.to_string(),
    };
    CustomerGenerator::new(scale, 1, 1).iter().map(row).collect()
}

pub fn suppliers(scale: f64) -> Vec<Supplier> {
    let row = |s: tpchgen::generators::Supplier| Supplier {
        suppkey: s.s_suppkey as i32,
        name: s.s_name.to_string(),
        address: s.s_address.to_string(),
        nationkey: s.s_nationkey as i32,
        phone: s.s_phone.to_string(),
        acctbal: s.s_acctbal.0,
        comment: s.s_comment.to_string(),
    };
    SupplierGenerator::new(scale, 1, 1).iter().map(row).collect()
}

fn order(o: tpchgen::generators::Order<'_>) -> Order {
    Order {
        orderkey: o.o_orderkey as i32,
        custkey: o.o_custkey as i32,
        orderstatus: o.o_orderstatus.to_string(),
        totalprice: o.o_totalprice.0,
        orderdate: o.o_orderdate.to_unix_epoch(),
        orderpriority: o.o_orderpriority.to_string(),
        clerk: o.o_clerk.to_string(),
        shippriority: o.o_shippriority,
        comment: o.o_comment.to_string(),
    }
}

fn line(l: tpchgen::generators::LineItem<'static>) -> Line {
    Line {
        orderkey: l.l_orderkey as i32,
        partkey: l.l_partkey as i32,
        suppkey: l.l_suppkey as i32,
        linenumber: l.l_linenumber,
        quantity: l.l_quantity * 100,
        extendedprice: l.l_extendedprice.0,
        discount: l.l_discount.0,
        tax: l.l_tax.0,
        returnflag: l.l_returnflag,
        linestatus: l.l_linestatus,
        shipdate: l.l_shipdate.to_unix_epoch(),
        commitdate: l.l_commitdate.to_unix_epoch(),
        receiptdate: l.l_receiptdate.to_unix_epoch(),
        shipinstruct: l.l_shipinstruct,
        shipmode: l.l_shipmode,
        comment: l.l_comment,
    }
}

/// Makes the generator's text pool, so that it is there before the measuring starts.
pub fn warm_up() {
    drop(regions(1.0));
    drop(steps(0.001, 1).next());
}

/// Steps of `batch` lines plus the orders up to the same order key.
pub fn steps(scale: f64, batch: usize) -> impl Iterator<Item = (Vec<Line>, Vec<Order>)> {
    let lines = LineItemGenerator::new(scale, 1, 1);
    let orders = OrderGenerator::new(scale, 1, 1);
    // The generators hand out iterators that borrow them; leaking two small structs keeps the caller simple.
    let mut lines = Box::leak(Box::new(lines)).iter();
    let mut orders = Box::leak(Box::new(orders)).iter().peekable();
    std::iter::from_fn(move || {
        let mut step = Vec::with_capacity(batch);
        step.extend(lines.by_ref().take(batch).map(line));
        let lines: Vec<Line> = step;
        let last = lines.last()?.orderkey;
        let mut upto = Vec::new();
        while let Some(next) = orders.next_if(|next| next.o_orderkey as i32 <= last) {
            upto.push(order(next));
        }
        Some((lines, upto))
    })
}
