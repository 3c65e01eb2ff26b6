import {
  type CodeFrame,
  type ComponentFrame,
  type Frame,
  flattenPart,
  mergeFrame,
  type Part,
  type StepFrame,
  type TablePart,
  type UiFrame,
} from '@berth/contract/agent';
import { cleanText } from '../output/clean-text.ts';
import { formatTable } from '../output/format-table.ts';
import type { Output } from '../output/output.ts';

/** Components that are streamed; all others are written at once. */
type Running = 'text' | 'thinking' | 'code' | 'table';

const ARGS_CHARACTERS = 300;

/**
 * Shows the frames of a turn: the answer on standard output, progress on standard error.
 * @param write writes text to standard output unchanged
 */
export function createTurnView(output: Output, write: (text: string) => void) {
  const isForPeople = output.isTerminal.result;
  const { style, progressStyle } = output;
  const asked: UiFrame[] = [];
  let parts: readonly Part[] = [];
  let running: Running | undefined;
  let hasWritten = false;
  let isAtLineStart = true;

  /** Writes text that is already clean and may be painted. */
  const emit = (text: string, endsLine = text.endsWith('\n')) => {
    if (text === '') return;
    output.clearStatus();
    write(text);
    hasWritten = true;
    isAtLineStart = endsLine;
  };
  const put = (text: string, paint: (text: string) => string = (same) => same) => {
    const clean = cleanText(text);
    if (clean !== '') emit(paint(clean), clean.endsWith('\n'));
  };
  const emitLine = (text: string) => emit(text.endsWith('\n') ? text : `${text}\n`);
  /** Ends the component being streamed with a newline. */
  const endRunning = () => {
    const ended = running;
    running = undefined;
    if (ended === 'table') emitLine(table(parts.findLast((part) => part.type === 'table') as TablePart));
    if (!isAtLineStart) emit('\n');
    if (ended === 'code') emitLine(style.dim('```'));
  };
  const begin = (kind: Running | undefined) => {
    if (running === kind && kind !== undefined) return;
    endRunning();
    // A blank line between blocks, as in the text that other clients get.
    if (hasWritten) emit('\n');
    running = kind;
  };
  const table = (part: TablePart): string => {
    if (!isForPeople || part.headers.length === 0) return cleanText(flattenPart(part));
    const columns = part.headers.map((heading, index) => ({
      heading: cleanText(heading),
      text: (row: readonly string[]) => row[index] ?? '',
    }));
    return formatTable(part.rows, columns, style);
  };

  const showCode = ({ code, language }: CodeFrame, isNew: boolean) => {
    if (isNew) {
      begin(undefined);
      running = 'code';
      emitLine(style.dim(`\`\`\`${cleanText(language ?? '')}`));
    }
    put(code);
  };
  const showStep = ({ step, tool_name, ok, result, id, parent }: StepFrame) => {
    const what = cleanText(step ?? tool_name ?? id ?? 'step').replaceAll('\n', ' ');
    // A sub-agent's steps stand above the step that called it, which ends after them.
    const indent = parent === undefined ? '' : '  ';
    if (ok === undefined && id !== undefined) {
      output.showStatus(`${progressStyle.cyan(progressStyle.signs.step)} ${what}`);
      return;
    }
    endRunning();
    output.clearStatus();
    const { signs } = progressStyle;
    const sign = ok === false ? progressStyle.red(signs.failed) : progressStyle.green(signs.done);
    const shown = ok === false && result ? `${what}: ${firstLine(result)}` : what;
    output.say(`${indent}${sign} ${shown}`);
  };

  const showComponent = (frame: ComponentFrame) => {
    const before = parts;
    parts = mergeFrame(parts, frame);
    switch (frame.type) {
      case 'text':
        begin('text');
        put(frame.text);
        return;
      case 'thinking':
        if (!isForPeople) return;
        begin('thinking');
        put(frame.thinking, style.dim);
        return;
      case 'code':
        showCode(frame, running !== 'code' || parts.length > before.length);
        return;
      case 'table':
        if (frame.headers !== undefined || running !== 'table') begin(undefined);
        running = 'table';
        return;
      case 'status':
        output.showStatus(progressStyle.dim(firstLine(frame.status)));
        return;
      case 'step':
      case 'step_arg': {
        const step = parts.findLast((part) => part.type === 'step' && part.id === frame.id);
        if (frame.type === 'step') showStep(frame.id === undefined ? frame : (step as StepFrame));
        return;
      }
      case 'tool_call':
        endRunning();
        output.say(progressStyle.dim(`${cleanText(frame.tool)} ${firstLine(JSON.stringify(frame.args ?? {}))}`));
        return;
      default:
        begin(undefined);
        emitLine(isForPeople ? forPeople(frame) : cleanText(flattenPart(frame)));
    }
  };

  const forPeople = (part: Extract<Part, { type: 'callout' | 'image' | 'sources' }>): string => {
    if (part.type === 'callout') {
      const paint = { info: style.cyan, warning: style.yellow, error: style.red, success: style.green }[part.style];
      const lines = [
        part.title === undefined ? [] : [style.bold(cleanText(part.title))],
        cleanText(part.callout).split('\n'),
      ];
      return lines
        .flat()
        .map((line) => `${(paint ?? style.cyan)(style.signs.bar)} ${line}`)
        .join('\n');
    }
    if (part.type === 'image')
      return `${style.magenta('image')} ${cleanText(part.caption ?? part.alt ?? '')} ${style.dim(cleanText(part.src))}`;
    return part.sources
      .map(({ title, url }, index) => `${style.dim(`[${index + 1}]`)} ${cleanText(title)} ${style.dim(cleanText(url))}`)
      .join('\n');
  };

  /** Refers to the agent's page: a sign-in needs a browser, and a terminal keeps typed keys in its scrollback. */
  const showConnect = ({ title, connector }: UiFrame) => {
    endRunning();
    const what = firstLine(String(title ?? connector));
    const sign = progressStyle.yellow(progressStyle.signs.warning);
    output.say(`${sign} The agent needs ${what}. Connect it on the agent's page, then say "Go on."`);
  };

  return {
    /** Everything shown, as parts of a message. */
    get parts(): readonly Part[] {
      return parts;
    },
    /** Frames in which the agent asks the person, in order. */
    asked: asked as readonly UiFrame[],
    show(frame: Frame): void {
      if (frame.type === 'ui') {
        asked.push(frame);
        if (frame.action === 'connect') showConnect(frame);
      } else if (isComponent(frame)) showComponent(frame);
    },
    /** Drops what was shown: the answer comes again from its first frame. */
    startOver(): void {
      endRunning();
      output.say('The agent restarted. Its answer from the start:');
      parts = [];
      asked.length = 0;
    },
    /** After the last frame. */
    end(): void {
      output.clearStatus();
      endRunning();
    },
  };
}

const COMPONENTS: ReadonlySet<string> = new Set<ComponentFrame['type']>([
  ...(['text', 'thinking', 'code', 'table', 'callout', 'image', 'status'] as const),
  ...(['step', 'step_arg', 'tool_call', 'sources'] as const),
]);

/** Returns true for a known component. Later agents may send unknown ones. */
function isComponent(frame: Frame): frame is ComponentFrame {
  return COMPONENTS.has(frame.type);
}

function firstLine(text: string): string {
  const [line = ''] = cleanText(text).trim().split('\n');
  return line.length > ARGS_CHARACTERS ? `${line.slice(0, ARGS_CHARACTERS)}…` : line;
}
