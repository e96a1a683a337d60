//! Bad programs and their whole messages: `tests/errors/*.sql` against snapshots. What we dislike waits in `poor/`.

use std::path::PathBuf;

#[test]
fn messages() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("errors");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder.join("snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let mut files: Vec<PathBuf> = ["bad", "poor"]
        .iter()
        .filter_map(|part| std::fs::read_dir(folder.join(part)).ok())
        .flatten()
        .map(|file| file.expect("a readable folder").path())
        .collect();
    files.sort();
    assert!(!files.is_empty());
    settings.bind(|| {
        for file in files {
            let sql = std::fs::read_to_string(&file).expect("a readable program");
            let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
            match feldc::driver::compile("program.sql", &sql) {
                Ok(_) => panic!("{} compiles, and should not", file.display()),
                Err(message) => insta::assert_snapshot!(name, message),
            }
        }
    });
}
