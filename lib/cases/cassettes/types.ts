/** A cassette: what a case's models were asked once, and what they answered. */
import type { InvalidCall, ModelReply } from "../../models/types.js";
import type { NormalRequest } from "./normal-form.js";

export interface Exchange {
  request: NormalRequest;
  reply: RecordedReply;
}

/** Calls have no ids: whoever replays them gives new ones, since every session has its own. */
export interface RecordedReply extends Pick<ModelReply, "text" | "usage" | "model"> {
  calls: RecordedCall[];
}

export interface RecordedCall {
  name: string;
  args: Record<string, unknown>;
  /** Why the call must not run (F-64, F-65). */
  problem?: InvalidCall["problem"];
}
