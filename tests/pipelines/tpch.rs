//! `programs/tpch` at scale 0.01 against results computed by DuckDB (`programs/tpch/expected`).

use feldc_tests::process;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

const SCALE: f64 = 0.01;

fn write<R: std::fmt::Display>(folder: &Path, table: &str, header: &str, rows: impl Iterator<Item = R>) {
    let file = std::fs::File::create(folder.join(format!("{table}.csv"))).expect("writable");
    let mut file = std::io::BufWriter::new(file);
    writeln!(file, "{header}").expect("writable");
    for row in rows {
        writeln!(file, "{row}").expect("writable");
    }
}

fn generate(folder: &Path) {
    use tpchgen::csv::*;
    use tpchgen::generators::*;
    std::fs::create_dir_all(folder).expect("a folder");
    write(folder, "region", RegionCsv::header(), RegionGenerator::new(SCALE, 1, 1).iter().map(RegionCsv::new));
    write(folder, "nation", NationCsv::header(), NationGenerator::new(SCALE, 1, 1).iter().map(NationCsv::new));
    write(folder, "supplier", SupplierCsv::header(), SupplierGenerator::new(SCALE, 1, 1).iter().map(SupplierCsv::new));
    write(folder, "customer", CustomerCsv::header(), CustomerGenerator::new(SCALE, 1, 1).iter().map(CustomerCsv::new));
    write(folder, "part", PartCsv::header(), PartGenerator::new(SCALE, 1, 1).iter().map(PartCsv::new));
    write(folder, "partsupp", PartSuppCsv::header(), PartSuppGenerator::new(SCALE, 1, 1).iter().map(PartSuppCsv::new));
    write(folder, "orders", OrderCsv::header(), OrderGenerator::new(SCALE, 1, 1).iter().map(OrderCsv::new));
    write(folder, "lineitem", LineItemCsv::header(), LineItemGenerator::new(SCALE, 1, 1).iter().map(LineItemCsv::new));
}

fn integrate(text: &str) -> BTreeMap<String, i64> {
    let mut rows = BTreeMap::new();
    for line in text.lines() {
        let (row, weight) = line.rsplit_once(',').expect("a weight column");
        *rows.entry(row.to_string()).or_insert(0) += weight.parse::<i64>().expect("a weight");
    }
    rows.retain(|_, weight| *weight != 0);
    rows
}

#[test]
fn queries_equal_duckdb() {
    let folder = tempfile::tempdir().expect("a folder");
    generate(&folder.path().join("data"));
    let program = folder.path().join("program.sql");
    std::fs::copy(process::root().join("programs/tpch/program.sql"), &program).expect("a copy");
    let output = process::run(&["run", program.to_str().expect("UTF-8"), "--until-complete"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for query in (1..=22).map(|number| format!("q{number}")) {
        let written =
            std::fs::read_to_string(folder.path().join(format!("output/{query}.csv"))).expect("an output file");
        let expected = process::root().join(format!("programs/tpch/expected/{query}.csv"));
        let expected = std::fs::read_to_string(expected).expect("an expected file");
        let expected: BTreeMap<String, i64> = expected.lines().map(|line| (line.to_string(), 1)).collect();
        assert_eq!(integrate(&written), expected, "{query}");
    }
}
