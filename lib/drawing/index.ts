/** Pictures of workflows. */
export { renderSvg } from "./svg.js";
