//! The sources of the runner, as a build depends on them.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// A runner's sources are some hundred files.
const MAX_FILES: usize = 20_000;

/// Shows `add` the name and the bytes of every file that the project is built from, in an order that never changes.
pub(super) fn read_sources(
    project: &Path,
    mut add: impl FnMut(&[u8]),
) -> Result<(), (PathBuf, io::Error)> {
    let mut left = MAX_FILES;
    for (name, root) in roots(project).map_err(|error| (project.to_owned(), error))? {
        add(name.as_bytes());
        let files = files(&root, &mut left).map_err(|error| (root.clone(), error))?;
        for file in files {
            let name = file.strip_prefix(&root).unwrap_or(&file);
            add(name.as_os_str().as_encoded_bytes());
            add(&super::read_bounded(&file).map_err(|error| (file.clone(), error))?);
        }
    }
    Ok(())
}

/// The project's folder, and what the project takes from outside of it, by the names that it uses.
fn roots(project: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let folder = project
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut roots = vec![(String::new(), folder.to_owned())];
    let text = match super::read_bounded(&project.join("project.pbxproj")) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    for outside in text.split(';').filter_map(outside) {
        let place = folder.join(outside);
        if place.join("Package.swift").is_file() {
            // Of a package, what its products are made of: it keeps its targets in this folder by the format's convention.
            for part in ["Package.swift", "Sources"] {
                roots.push((format!("{outside}/{part}"), place.join(part)));
            }
        } else {
            roots.push((outside.to_owned(), place));
        }
    }
    // What isn't there is for xcodebuild to complain about.
    roots.retain(|(_, place)| place.exists());
    Ok(roots)
}

/// The path that a statement of a project file names, if it leads out of the project's folder.
fn outside(statement: &str) -> Option<&str> {
    let (key, value) = statement.rsplit_once('=')?;
    let key = key.split_whitespace().last()?;
    let value = value.trim().trim_matches('"');
    (matches!(key, "path" | "relativePath") && value.starts_with("..")).then_some(value)
}

fn files(root: &Path, left: &mut usize) -> io::Result<Vec<PathBuf>> {
    if root.is_file() {
        return Ok(vec![root.to_owned()]);
    }
    let mut open = vec![root.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            // Products, and what each user's Xcode leaves behind.
            let skipped = name.starts_with('.')
                || name.ends_with(".xcuserstate")
                || matches!(name.as_ref(), "xcuserdata" | "build" | "DerivedData");
            let kind = entry.file_type()?;
            if skipped {
            } else if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
                *left = left.checked_sub(1).ok_or_else(|| {
                    io::Error::other("the runner's folders hold too many files to be its source")
                })?;
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(project: &Path) -> Vec<Vec<u8>> {
        let mut parts = Vec::new();
        read_sources(project, |part| parts.push(part.to_vec())).unwrap();
        parts
    }

    #[test]
    fn what_the_project_takes_from_its_package_is_among_its_sources() {
        let folder = super::super::scratch("fingerprint").unwrap();
        let root = folder.path();
        let write = |name: &str, text: &str| {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        // The project that is shipped, in its own layout.
        let shipped = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../runner-swift/Xcode/AgentDeviceRunner.xcodeproj/project.pbxproj"
        );
        let project = "Xcode/AgentDeviceRunner.xcodeproj";
        write(
            &format!("{project}/project.pbxproj"),
            &fs::read_to_string(shipped).unwrap(),
        );
        for name in [
            "Xcode/UITests/a.swift",
            "Package.swift",
            "Sources/RunnerCore/x.swift",
            "Sources/RunnerSim/App/y.swift",
            "Tests/z.swift",
            "README.md",
        ] {
            write(name, "before");
        }
        let project = root.join(project);
        let mut known = of(&project);
        for (name, counts) in [
            ("Xcode/UITests/a.swift", true),
            ("Package.swift", true),
            ("Sources/RunnerCore/x.swift", true),
            ("Sources/RunnerSim/App/y.swift", true),
            ("Tests/z.swift", false),
            ("README.md", false),
        ] {
            write(name, "after");
            let now = of(&project);
            assert_eq!(now != known, counts, "{name}");
            known = now;
        }
    }
}
