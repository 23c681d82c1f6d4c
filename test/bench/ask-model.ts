/** One call of the model as a hand-written loop makes it. */

export interface Message {
  role: string;
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

export async function askModel(
  url: string,
  messages: readonly Message[],
  { name, parameters }: { name: string; parameters: unknown },
): Promise<Message> {
  const tools = [{ type: "function", function: { name, description: "", parameters } }];
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer bench" },
    body: JSON.stringify({ model: "bench", messages: [{ role: "system", content: "Be brief." }, ...messages], tools }),
  });
  const { choices } = (await response.json()) as { choices: { message: Message }[] };
  return choices[0]!.message;
}
