export * from './chat.ts';
export * from './chat-request.ts';
export * from './completion.ts';
export * from './flatten-part.ts';
export * from './frame.ts';
export * from './limits.ts';
export * from './merge-frame.ts';
export * from './part.ts';
