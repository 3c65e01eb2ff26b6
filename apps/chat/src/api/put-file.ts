import { WORKSPACE_HEADER } from '@berth/contract/headers';
import type { Session } from '../session/session.ts';
import { ApiError } from './api.ts';

/** Where files go, and with whose token. */
export interface PutFileOptions {
  readonly session: Pick<Session, 'token' | 'renew'>;
  readonly teamId: string | undefined;
  /** Maximum size of a file, in bytes. */
  readonly maxBytes: number;
}

/** A file to upload. */
export interface FilePut {
  readonly url: string;
  readonly file: Blob;
  readonly signal: AbortSignal;
  /** Called with the progress from 0 to 1. */
  onProgress(progress: number): void;
}

/** Uploads a file. @throws {ApiError} when the server refuses it; {FileTooLarge}; {ConnectionLost} */
export type PutFile = (put: FilePut) => Promise<void>;

/** The connection broke during an upload. */
export class ConnectionLost extends Error {}

/** The file is larger than the server accepts. */
export class FileTooLarge extends Error {}

/** Returns a function that uploads files with the person's token, and retries with a new token if that one has expired. */
export function createPutFile({ session, teamId, maxBytes }: PutFileOptions): PutFile {
  return async (put) => {
    if (put.file.size > maxBytes) throw new FileTooLarge();
    let answer = await sendFile(put, teamId, await session.token());
    if (answer.code === 401 && (await session.renew())) answer = await sendFile(put, teamId, await session.token());
    if (answer.code >= 300) throw new ApiError(answer.code, answer.detail);
  };
}

/** Uses XMLHttpRequest, because `fetch` doesn't report the progress of an upload. */
function sendFile({ url, file, signal, onProgress }: FilePut, teamId: string | undefined, token: string | undefined) {
  return new Promise<{ readonly code: number; readonly detail: string }>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', url);
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    if (token !== undefined) request.setRequestHeader('Authorization', `Bearer ${token}`);
    if (teamId !== undefined) request.setRequestHeader(WORKSPACE_HEADER, teamId);
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
