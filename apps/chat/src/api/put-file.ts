import type { Session } from '../session/session.ts';
import { ApiError } from './api.ts';

export interface PutFile {
  readonly session: Pick<Session, 'token' | 'renew'>;
  readonly teamId: string | undefined;
  readonly url: string;
  readonly file: Blob;
  readonly signal: AbortSignal;
  /** Told from 0 to 1. */
  onProgress(progress: number): void;
}

/** The connection broke while a file was on its way. */
export class ConnectionLost extends Error {}

/**
 * Puts a file up with the person's token; where it has run out, once more with a new one.
 * @throws {ApiError} when it is not taken; {ConnectionLost}
 */
export async function putFile(options: PutFile): Promise<void> {
  let answer = await sendFile(options, await options.session.token());
  if (answer.code === 401 && (await options.session.renew())) {
    answer = await sendFile(options, await options.session.token());
  }
  if (answer.code >= 300) throw new ApiError(answer.code, answer.detail);
}

/** `fetch` tells nothing of how far a body is, so this is the older way. */
function sendFile({ url, file, teamId, signal, onProgress }: PutFile, token: string | undefined) {
  return new Promise<{ readonly code: number; readonly detail: string }>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', url);
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    if (token !== undefined) request.setRequestHeader('Authorization', `Bearer ${token}`);
    if (teamId !== undefined) request.setRequestHeader('X-Workspace', teamId);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => resolve({ code: request.status, detail: detailOf(request) });
    request.onerror = () => reject(new ConnectionLost('The connection was lost.'));
    request.onabort = () => reject(new Error('Called off.'));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}

function detailOf(request: XMLHttpRequest): string {
  try {
    return String((JSON.parse(request.responseText) as { detail: unknown }).detail);
  } catch {
    return `The agent answered with status ${request.status}.`;
  }
}
