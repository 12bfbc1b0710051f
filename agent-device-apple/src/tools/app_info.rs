//! What an app says about itself in its `Info.plist`.

use std::{path::Path, time::Duration};

use serde::Deserialize;

use super::process::{Patience, Tool, ToolPath};

/// The names of an app, and the addresses that it opens.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct AppInfo {
    names: Vec<String>,
    schemes: Vec<String>,
}

/// The keys are those of Apple's reference of information property lists.
#[derive(Debug, Default, Deserialize)]
struct UrlType {
    #[serde(default, rename = "CFBundleURLSchemes")]
    schemes: Vec<String>,
}

#[cfg(any(test, feature = "fuzzing"))]
pub(super) fn fuzz(answer: &[u8]) {
    drop(serde_json::from_slice::<Vec<UrlType>>(answer));
}

impl AppInfo {
    /// Of the app in this folder. `None`: it does not tell its name.
    pub(crate) async fn read(tools: &ToolPath, folder: &Path, patience: &Patience) -> Option<Self> {
        let info = folder.join("Info.plist");
        let mut names = Vec::new();
        // The question is asked in English, so an app that has an English name is called by that.
        for file in [
            info.clone(),
            folder.join("Base.lproj/InfoPlist.strings"),
            folder.join("en.lproj/InfoPlist.strings"),
        ] {
            // The name is shown where there is no display name.
            for key in ["CFBundleDisplayName", "CFBundleName"] {
                if let Some(name) = extract(tools, &file, key, "raw", patience).await {
                    names.push(String::from_utf8_lossy(&name).trim().to_owned());
                    break;
                }
            }
        }
        let types = extract(tools, &info, "CFBundleURLTypes", "json", patience).await;
        let types: Vec<UrlType> =
            serde_json::from_slice(&types.unwrap_or_default()).unwrap_or_default();
        let schemes = types.into_iter().flat_map(|kind| kind.schemes).collect();
        (!names.is_empty()).then_some(Self { names, schemes })
    }

    /// Whether the system shows the app under this name.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name.trim())
    }

    /// Whether it says that it opens addresses of this scheme.
    pub(crate) fn opens(&self, scheme: &str) -> bool {
        self.schemes
            .iter()
            .any(|known| known.eq_ignore_ascii_case(scheme))
    }
}

/// One value of a property list. The app under test has written it: property lists may nest without bound, and what reads JSON
/// here stops in time.
async fn extract(
    tools: &ToolPath,
    file: &Path,
    key: &str,
    format: &str,
    patience: &Patience,
) -> Option<Vec<u8>> {
    if !file.is_file() {
        return None;
    }
    let tool = Tool::new("plutil", Duration::from_secs(10))
        .args(["-extract", key, format, "-o", "-"])
        .args([file]);
    let output = tools.run(tool, patience).await.ok()?;
    Some(output.stdout)
}
