/** The version in package.json. */
import manifest from "../package.json" with { type: "json" };

/** The version of this package, which `metadata.json` records (H-6, H-110). */
export const PACKAGE_VERSION: string = manifest.version;
