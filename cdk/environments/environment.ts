import type { ParkwayProps } from "../props.js";

/** What one environment decides; the rest is the same in all of them. */
export type Environment = Omit<ParkwayProps, "environment" | "workspace" | "config" | "assets"> & {
  /** The account and region to deploy to; those of the caller's credentials unless given. */
  account?: string;
  region?: string;
};
