export type {
  HttpRequestRecord,
  LogInput,
  LogName,
  LogScope,
  LogStore,
  ReadOptions,
  StoredEntry,
  TailOptions,
} from './log-store.ts';
