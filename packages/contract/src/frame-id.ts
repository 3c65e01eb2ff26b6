/** `<run>:<seq>`; `<run>~<attempt>:<seq>` for frames of a process that has taken the run over. */
const FRAME_ID = /^([^~:]*)(?:~\d+)?:(\d+)$/;

/**
 * Returns true when the frames of a stream start over with the frame `id`: it belongs to another run than the last frame, or
 * doesn't come after it. A reader then drops what it has of the answer. Source: docs/contract/agent-api.md §2, "Runs".
 * @param last id of the last frame; '' for none.
 */
export function startsOver(last: string, id: string): boolean {
  const [, lastRun, lastSeq] = FRAME_ID.exec(last) ?? [];
  const [, run, seq] = FRAME_ID.exec(id) ?? [];
  if (lastRun === undefined || run === undefined) return false;
  return run !== lastRun || Number(seq) <= Number(lastSeq);
}
