// esbuild plugins that make a function start faster.
import { existsSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";

const BUILTINS = new Set(builtinModules);

/**
 * Node's own modules through `process.getBuiltinModule`. A static import of one makes a facade that reads every export,
 * and some exports are getters: those of `node:http` load a whole HTTP client, 30 to 50 ms.
 */
export const builtins = {
  name: "builtins",
  setup(build) {
    build.onResolve({ filter: /^(node:)?[a-z_]+(\/[a-z_]+)*$/ }, ({ path, pluginData, kind }) => {
      if (pluginData === builtins || path.startsWith(".")) return undefined;
      const name = path.replace(/^node:/, "");
      if (!BUILTINS.has(name) && !BUILTINS.has(`node:${name}`)) return undefined;
      const namespace = kind === "dynamic-import" ? "builtin-at-run-time" : "builtin";
      return { path: `node:${name}`, namespace, sideEffects: false };
    });
    build.onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      loader: "js",
    }));
    // Whoever imports one at run time takes its exports by name. Those that are getters are left to the default export.
    build.onLoad({ filter: /.*/, namespace: "builtin-at-run-time" }, ({ path }) => ({
      contents: `
        const found = process.getBuiltinModule(${JSON.stringify(path)});
        export default found;
        export const { ${valueNames(path).join(", ")} } = found;`,
      loader: "js",
    }));
  },
};

function valueNames(path) {
  const descriptors = Object.getOwnPropertyDescriptors(process.getBuiltinModule(path));
  return Object.keys(descriptors)
    .filter((name) => "value" in descriptors[name] && /^[A-Za-z_$][\w$]*$/.test(name) && name !== "default")
    .sort();
}

/** zod carries its messages in over 60 languages; English is the one that is used. */
export const oneLocale = {
  name: "one-locale",
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.c?js$/ }, () => ({
      contents: `export { default as en } from "./en.js";`,
      loader: "js",
    }));
  },
};

/** Packages stay where they are, for a bundle that is evaluated on this machine: reading them takes longer than loading. */
export const packagesInPlace = {
  name: "packages-in-place",
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === packagesInPlace || isAbsolute(path) || BUILTINS.has(path.replace(/^node:/, "")))
        return undefined;
      const { resolveDir, kind, importer } = from;
      const resolved = await build.resolve(path, { resolveDir, kind, importer, pluginData: packagesInPlace });
      if (resolved.errors.length > 0 || resolved.external) return resolved;
      return { path: pathToFileURL(resolved.path).href, external: true, sideEffects: false };
    });
  },
};

/** `parkway` in a configuration is the Parkway that is being bundled, so that both share chunks and classes. */
export function ownPackage(packageRoot) {
  const sources = {
    parkway: "lib/index.ts",
    "parkway/spec": "lib/spec/public.ts",
    "parkway/messages": "lib/messages/index.ts",
    "parkway/testing": "lib/cases/index.ts",
    "parkway/sandbox": "lib/sandbox/author.ts",
    "parkway/cli": "lib/cli/index.ts",
  };
  return {
    name: "own-package",
    setup(build) {
      build.onResolve({ filter: /^parkway(\/.*)?$/ }, ({ path }) => {
        const source = sources[path];
        return source === undefined ? undefined : { path: join(packageRoot, source) };
      });
    },
  };
}

/**
 * What a folder's index hands on is taken from the file it lies in. esbuild puts a file into every bundle that reaches it by
 * any import, used or not: by way of an index that is the whole folder, and what the folder stands on.
 */
export const pastIndexes = {
  name: "past-indexes",
  setup(build) {
    const indexes = new Map();
    const sourcesOf = (index) => {
      if (!indexes.has(index)) indexes.set(index, existsSync(index) ? namesOf(readFileSync(index, "utf8")) : new Map());
      return indexes.get(index);
    };
    build.onLoad({ filter: /[\\/](?:lib|cdk|functions)[\\/].*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(FROM_INDEX, (statement, verb, list, folder) => {
        const names = sourcesOf(join(dirname(path), folder, "index.ts"));
        const wanted = specifiers(list);
        // What the index says itself, not handed on, is there and nowhere else.
        if (!wanted.every(({ name }) => names.has(name))) return statement;
        return wanted
          .map(({ name, as }) => {
            const { from, name: original } = names.get(name);
            return `${verb} { ${original} as ${as} } from "${folder}/${from}";`;
          })
          .join(" ");
      }),
      loader: "ts",
    }));
  },
};

const FROM_INDEX = /^(import|export) \{([^}]*)\} from "((?:\.{1,2}\/)[^"]*?)\/index\.js";/gm;
const HANDED_ON = /^export \{([^}]*)\} from "\.\/([^"]+)";/gm;

/** Of `a, type B, c as d`, the names that exist at run time. */
function specifiers(list) {
  const words = list.split(",").map((item) => item.trim().split(/\s+as\s+/));
  return words.filter(([name]) => name !== "" && !name.startsWith("type ")).map(([name, as = name]) => ({ name, as }));
}

function namesOf(index) {
  const handedOn = [...index.matchAll(HANDED_ON)];
  return new Map(handedOn.flatMap(([, list, from]) => specifiers(list).map(({ name, as }) => [as, { from, name }])));
}
