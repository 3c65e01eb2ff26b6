import type { Client } from '@berth/client';
import { keepPreviousData } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useRead } from '../../../api/use-read.ts';
import { rangeMs } from '../../../components/time-range/time-range.ts';
import { type KnownFields, readKnownFields } from '../state/known-fields.ts';
import type { LogsView } from '../state/logs-view.ts';

/** Maximum number of values suggested for a field. */
const VALUES = 50;
const STALE_MS = 60_000;
/** Delay after the last key before the server is asked for matching values. */
const DEBOUNCE_MS = 250;
const WRITTEN_LEAST = 2;

/**
 * Returns the fields of the view's time range, regardless of its filter; loaded once `isWanted` is true. If a field has
 * more values than were loaded, also asks for those that contain the text being typed.
 */
export function useKnownFields(
  view: LogsView,
  isWanted: boolean,
  written: { readonly field: string; readonly written: string } | undefined,
): KnownFields {
  const ask = (query: string | undefined) => async (client: Client, signal: AbortSignal) => {
    const { fromMs, toMs } = rangeMs(view.range, Date.now());
    const span = { since: new Date(fromMs).toISOString(), until: new Date(toMs).toISOString() };
    const request = { deployment_name: view.deployment, ...span, values: VALUES, query };
    return readKnownFields(await client.post('/v1/deployment/logs/fields', { body: request, signal }));
  };
  const { data: known } = useRead(QUERY_KEYS.logFields(view.deployment, view.range), ask(undefined), {
    staleTime: STALE_MS,
    enabled: isWanted,
    placeholderData: keepPreviousData,
  });
  const text = written?.written.replaceAll('"', '') ?? '';
  const isNarrow = written !== undefined && text.length >= WRITTEN_LEAST && known?.get(written.field)?.hasMore === true;
  const narrow = useDebounced(isNarrow ? `${written.field}:${JSON.stringify(text)}` : '', DEBOUNCE_MS);
  const { data: more } = useRead(QUERY_KEYS.logFields(view.deployment, view.range, narrow), ask(narrow), {
    staleTime: STALE_MS,
    enabled: narrow !== '',
  });
  const name = written?.field ?? '';
  return useMemo(() => {
    const field = more?.get(name);
    return field ? new Map([...(known ?? []), [field.name, field]]) : (known ?? new Map());
  }, [known, more, name]);
}

function useDebounced<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
