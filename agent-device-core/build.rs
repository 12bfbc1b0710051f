//! Turns the golden table into typed constants, so that a proof which is not in the table doesn't compile.

use std::{collections::BTreeMap, env, fmt::Write as _, fs, path::Path};

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    rows: Vec<Row>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    dispatched: String,
    failure: String,
    proof: String,
}

fn main() {
    println!("cargo::rerun-if-changed=dispatch-disclosure.json");
    let text = fs::read_to_string("dispatch-disclosure.json")
        .expect("the golden table is beside build.rs");
    let table: Table = serde_json::from_str(&text)
        .expect("the golden table is valid JSON of the documented shape");
    let mut producers: BTreeMap<String, String> = BTreeMap::new();
    for row in &table.rows {
        let (producer, rest) = row.id.split_once('.').expect("a row id is producer.name");
        assert!(
            matches!(row.dispatched.as_str(), "no" | "unknown"),
            "row {}: dispatched is {:?}",
            row.id,
            row.dispatched
        );
        assert!(
            !row.failure.is_empty() && !row.proof.is_empty(),
            "row {} says too little",
            row.id
        );
        let constant = rest.replace(['.', '-'], "_").to_uppercase();
        writeln!(
            producers.entry(producer.replace('-', "_")).or_default(),
            "        {} {constant} = {:?}: {:?}, {:?};",
            row.dispatched,
            row.id,
            row.failure,
            row.proof
        )
        .expect("writing to a string");
    }
    let mut out = String::new();
    for (producer, rows) in producers {
        writeln!(
            out,
            "crate::golden_rows! {{\n    /// Rows of the `{producer}` producer.\n    pub mod {producer} {{\n{rows}    }}\n}}"
        )
        .expect("writing to a string");
    }
    let target = Path::new(&env::var("OUT_DIR").expect("cargo sets OUT_DIR")).join("rows.rs");
    fs::write(target, out).expect("OUT_DIR is writable");
}
