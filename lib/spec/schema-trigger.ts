/** Shape of a trigger's declaration: the keys the runtime reads, every other kept (W-18, W-102…W-114). */
import * as z from "zod";
import { parseDottedPath } from "./dotted-path.js";
import { signatureListSchema } from "./schema-signature.js";
import { alwaysCheck, issueText, says } from "./shape.js";

export const TRIGGER_KEYS = ["session", "message", "connection", "description", "requires", "returns"];

const PATH_RULE = `must be a dotted path over variables, such as ticket.id or items.-1.id, without \${{ }}`;

function dottedPath(code: "trigger/session-path" | "trigger/message-path", rule: string) {
  return z.string(says(code, rule)).refine((path) => parseDottedPath(path).ok, says(code, rule));
}

function triggerText(code: "trigger/connection" | "trigger/description") {
  const rule = "must be text that is not blank";
  return z.string(says(code, rule)).regex(/\S/, says(code, rule));
}

const MESSAGE_RULE = `${PATH_RULE}, or false`;

export const triggerSchema = z
  .looseObject(
    {
      session: dottedPath("trigger/session-path", PATH_RULE).optional(),
      message: z
        .union(
          [z.literal(false), dottedPath("trigger/message-path", MESSAGE_RULE)],
          says("trigger/message-path", MESSAGE_RULE),
        )
        .optional(),
      connection: triggerText("trigger/connection").optional(),
      description: triggerText("trigger/description").optional(),
      requires: signatureListSchema("requires").optional(),
      returns: signatureListSchema("returns").optional(),
    },
    says("trigger/declaration-shape", "must be a mapping, or empty"),
  )
  .check(
    alwaysCheck((declaration, report) => {
      if (Object.hasOwn(declaration, "entry")) {
        report(
          ["entry"],
          issueText("trigger/entry-key", "is not written: the state the declaration sits on is the entry"),
        );
      }
      if (Object.hasOwn(declaration, "name")) {
        report(
          ["name"],
          issueText("trigger/name-key", "is not written: the declaration's own key is the trigger's id"),
        );
      }
    }),
  );
