/** What a rule's target is given: the event, a part of it, a constant, or a template with parts of it. */
export interface TargetInput {
  /** JSON text. */
  Input?: string;
  InputPath?: string;
  InputTransformer?: { InputPathsMap?: Record<string, string>; InputTemplate: string };
}

export interface RuleNames {
  ruleName: string;
  ruleArn: string;
  ingestionTime: string;
}

/** User guide, "Input transformation". @throws {SyntaxError} where a template gives no JSON */
export function inputFor(target: TargetInput, event: unknown, names: RuleNames): unknown {
  const { Input, InputPath, InputTransformer } = target;
  if (Input !== undefined) return JSON.parse(Input);
  if (InputPath !== undefined) return atPath(event, InputPath);
  if (!InputTransformer) return event;
  const { InputPathsMap = {}, InputTemplate } = InputTransformer;
  const values: Record<string, unknown> = {
    ...Object.fromEntries(Object.entries(InputPathsMap).map(([name, path]) => [name, atPath(event, path)])),
    "aws.events.event": event,
    "aws.events.event.json": event,
    "aws.events.rule-name": names.ruleName,
    "aws.events.rule-arn": names.ruleArn,
    "aws.events.event.ingestion-time": names.ingestionTime,
  };
  return JSON.parse(filled(InputTemplate, values));
}

/** `<name>` becomes the value's JSON; within a text of the template, a text's characters. */
function filled(template: string, values: Record<string, unknown>): string {
  let isInText = false;
  return template.replace(/\\.|"|<([A-Za-z0-9_.-]+)>/gs, (part, name?: string) => {
    if (part === '"') isInText = !isInText;
    if (name === undefined || !Object.hasOwn(values, name)) return part;
    const json = JSON.stringify(values[name] ?? "");
    if (!isInText) return json;
    return typeof values[name] === "string" ? json.slice(1, -1) : json.replaceAll('"', '\\"');
  });
}

function atPath(event: unknown, path: string): unknown {
  const steps = path.replace(/^\$\.?/, "").split(/[.[\]]+/);
  return steps
    .filter((step) => step !== "")
    .reduce<unknown>(
      (value, step) => (value as Record<string, unknown> | undefined)?.[step.replaceAll("'", "")],
      event,
    );
}
