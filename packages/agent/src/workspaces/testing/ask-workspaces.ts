/** A call to an agent. Sends a string body as it is and any other body as JSON; returns the status and the JSON body. */
export type AskWorkspaces = (
  token: string,
  method: string,
  target: string,
  body?: unknown,
  workspace?: string,
) => Promise<{ readonly status: number; readonly body: unknown }>;

/** Returns a function that calls the agent at `url`, with `X-Workspace` when a workspace is given. */
export function askWorkspaces(url: string): AskWorkspaces {
  return async (token, method, target, body, workspace) => {
    const isText = typeof body === 'string';
    const answer = await fetch(url + target, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body !== undefined && !isText && { 'Content-Type': 'application/json' }),
        ...(workspace !== undefined && { 'X-Workspace': workspace }),
      },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
  };
}
