/** What a deploy says that waits for others of its name. */
export function waitingMessage(ahead: number, deployment: string): string {
  return ahead === 1
    ? `Waiting for an earlier deploy of ${deployment}`
    : `Waiting for ${ahead} earlier deploys of ${deployment}`;
}
