/** What a new workspace is made from. */
export interface Choices {
  /** The workflow's slug. */
  name: string;
  /** The same for people. */
  title: string;
  /** One line: what the workflow is for. */
  purpose: string;
}
