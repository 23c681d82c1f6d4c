/** W-15: of YAML text and of values alike. */
export const MAX_NESTING_LEVELS = 100;
