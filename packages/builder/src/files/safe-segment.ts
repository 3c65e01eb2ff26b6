/**
 * Returns `name` if it is safe as the name of a folder.
 * @throws Error otherwise; names of accounts, deployments and revisions are validated long before.
 */
export function safeSegment(name: string): string {
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]{0,200}$/.test(name))
    throw new Error(`${JSON.stringify(name)} is not a folder name`);
  return name;
}
