/** Shape of the `tools`, `skills` and `mounts` blocks (W-179…W-186, W-221, W-231, W-232). */
import * as z from "zod";
import { isSlug } from "./names.js";
import { parseReference, referenceParts } from "./references.js";
import { alwaysCheck, issueText, says, saysOfMapping } from "./shape.js";

const ENTRY_RULE = "must be a tool name or a mapping with `tool`";

/** W-162: what keeps a guard's references from being readable, or undefined. */
function malformedReference(glob: string): boolean {
  return referenceParts(glob).some(
    (part) => part.kind === "unclosed" || (part.kind === "reference" && !parseReference(part.inner).ok),
  );
}

function glob() {
  const rule = `must write references as \${{name}} or \${{name.path}}, with a variable name and no empty segment`;
  return z.string().refine((text) => !malformedReference(text), says("guard/malformed-reference", rule));
}

function globs() {
  const rule = "must be a glob or a list of globs";
  const list = z.array(glob()).min(1, says("tools/empty-guard", "must list at least one glob"));
  return z.union([glob(), list], says("schema/type", rule));
}

function toolName(kind: "grant" | "denial") {
  return z.string(says("tools/entry-shape", ENTRY_RULE)).superRefine((name, context) => {
    const report = (message: string) => context.addIssue({ code: "custom", message });
    if (name === "*") {
      if (kind === "grant") {
        report(issueText("tools/wildcard-grant", "must not grant `*`: a grant names its tools; `*` is for denials"));
      }
    } else if (name === "" || /[\s*]/.test(name)) {
      report(issueText("tools/entry-shape", "must be a tool's exact name, without white space or `*`"));
    }
  });
}

const EMPTY_GUARD = "must name at least one argument";

export function toolEntrySchema(kind: "grant" | "denial") {
  const mapping = z
    .strictObject(
      {
        tool: toolName(kind),
        args: z
          .record(z.string(), globs())
          .refine((args) => Object.keys(args).length > 0, says("tools/empty-guard", EMPTY_GUARD))
          .meta({ minProperties: 1 })
          .optional(),
        paths: globs().optional(),
        connection: z.string().optional(),
        source: z.string().optional(),
      },
      saysOfMapping("tools/entry-shape", ENTRY_RULE),
    )
    .check(
      alwaysCheck((entry, report) => {
        if (Object.hasOwn(entry, "args") && Object.hasOwn(entry, "paths")) {
          report([], issueText("tools/args-and-paths", "must have `args` or `paths`, not both"));
        }
      }),
    );
  return z.union([toolName(kind), mapping], says("tools/entry-shape", ENTRY_RULE));
}

function skillSlug() {
  const rule = "must be a skill's slug (its directory name), not a path or pattern";
  return z.string(says("skills/not-a-slug", rule)).refine(isSlug, says("skills/not-a-slug", rule));
}

const MOUNT_RULE = "must be a mount's name: no outer slash, no pattern, no empty, `.` or `..` segment";

function mountName() {
  return z.string(says("mounts/not-a-name", MOUNT_RULE)).refine(isMountName, says("mounts/not-a-name", MOUNT_RULE));
}

function isMountName(name: string): boolean {
  if (name.trim() === "" || /[*?[\]{}]/.test(name)) return false;
  return name.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..");
}

export const mountGrantSchema = z.union(
  [
    mountName(),
    z.strictObject(
      {
        mount: mountName(),
        access: z.enum(["read", "read_write"], says("mounts/access", "must be read or read_write")).optional(),
      },
      saysOfMapping("mounts/not-a-name", "must be a mount's name or a mapping with `mount`"),
    ),
  ],
  says("mounts/not-a-name", MOUNT_RULE),
);

function mountDenial() {
  return z
    .string({
      error: (issue) =>
        typeof issue.input === "object"
          ? issueText("mounts/forbid-shape", "must be a mount's name only; a denial has no access")
          : issueText("mounts/not-a-name", MOUNT_RULE),
    })
    .refine(isMountName, says("mounts/not-a-name", MOUNT_RULE));
}

const grants = () => z.array(toolEntrySchema("grant")).optional();
const denials = () => z.array(toolEntrySchema("denial")).optional();
const skillList = () => z.array(skillSlug()).optional();
const mountGrants = () => z.array(mountGrantSchema).optional();
const mountDenials = () => z.array(mountDenial()).optional();

export const rootToolsSchema = z.strictObject({ allow_always: grants(), forbid_always: denials() });
export const stateToolsSchema = z.strictObject({ allow: grants(), forbid: denials() });
export const rootSkillsSchema = z.strictObject({ allow_always: skillList(), forbid_always: skillList() });
export const stateSkillsSchema = z.strictObject({ allow: skillList(), forbid: skillList() });
export const rootMountsSchema = z.strictObject({ allow_always: mountGrants(), forbid_always: mountDenials() });
export const stateMountsSchema = z.strictObject({ allow: mountGrants(), forbid: mountDenials() });
