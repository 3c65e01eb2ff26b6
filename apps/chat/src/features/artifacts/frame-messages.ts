/** The order that the page sends to the frame, once, with the port on which the frame reports. */
export interface ArtifactOrder {
  readonly kind: 'html' | 'react';
  readonly code: string;
  /** Language of the page, for a component's document. */
  readonly language: string;
}

/** A report of the frame. The artifact can forge each of them, so they are text to show and nothing more. */
export type ArtifactReport =
  /** An error that the artifact threw. */
  | { readonly type: 'error'; readonly message: string }
  /** An address that the policy kept the artifact from loading. */
  | { readonly type: 'blocked'; readonly message: string }
  /** The address of a link that the person followed in the artifact. */
  | { readonly type: 'link'; readonly message: string };

/** Maximum number of characters of a report. */
const MAX_CHARACTERS = 1_000;

/** Validates a message of the frame; undefined for any other message. */
export function readReport(data: unknown): ArtifactReport | undefined {
  const { type, message } = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>;
  if ((type !== 'error' && type !== 'blocked' && type !== 'link') || typeof message !== 'string') return undefined;
  return { type, message: message.slice(0, MAX_CHARACTERS).toWellFormed() };
}
