import { LIMITS } from '@berth/contract/limits';
import { Button, buttonClass, classNames, ErrorNote, IconButton, INPUT_CLASS } from '@berth/ui';
import { Eye, EyeOff, FileUp, Lock, LockOpen, Plus, Trash2 } from 'lucide-react';
import { type ClipboardEvent, useId, useState } from 'react';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { parseEnvFile } from './parse-env-file.ts';
import type { VariablesDraft } from './use-variables.ts';
import { BLANK_ROW, findRowProblem, type VariableRow } from './variable-rows.ts';

/**
 * Table of variables that are typed, pasted, or read from a `.env` file. Values are masked. Belongs into a form that
 * saves `draft.values` in one request.
 */
export function VariablesEditor({ draft }: { readonly draft: VariablesDraft }) {
  const { t, formats } = useConsoleTexts();
  const [isShown, setShown] = useState(false);
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState<string>();
  const { rows, required } = draft;
  const fill = (variables: readonly VariableRow[]) => {
    draft.add(variables);
    setProblem(undefined);
    setSaid(t('variables.filled', { count: variables.length }));
  };
  const take = async (file: File | undefined) => {
    if (!file) return;
    const limit = LIMITS.environmentBytes;
    if (file.size > 2 * limit) {
      return setProblem(t('variables.tooLarge', { file: file.name, limit: formats.bytes(limit) }));
    }
    const variables = parseEnvFile(await file.text());
    if (variables.length === 0) setProblem(t('variables.noneInFile', { file: file.name }));
    else fill(variables);
  };
  const change = (at: number, changes: Partial<VariableRow>) =>
    draft.setRows(rows.map((row, index) => (index === at ? { ...row, ...changes } : row)));
  const pasteName = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text');
    if (!/[=\n]/.test(text)) return;
    const variables = parseEnvFile(text);
    if (variables.length === 0) return;
    event.preventDefault();
    fill(variables);
  };
  return (
    // Files dropped here fill in rows; elsewhere on the page they are deployed.
    <fieldset
      aria-label={t('deployment.tab.environment')}
      data-own-drop
      className="flex min-w-0 flex-col gap-3"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void take(event.dataTransfer.files[0]);
      }}
    >
      <div className="flex flex-col gap-2">
        {rows.map((row, at) => (
          <Row
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their position
            key={at}
            number={at + 1}
            row={row}
            isFixed={required.includes(row.key) && rows.findIndex(({ key }) => key === row.key) === at}
            isAlone={rows.length === 1 && row.key === '' && row.value === ''}
            isShown={isShown}
            problem={findRowProblem(rows, at, required)}
            onChange={(changes) => change(at, changes)}
            onPasteName={pasteName}
            onRemove={() =>
              rows.length === 1 ? draft.clear() : draft.setRows(rows.filter((_, index) => index !== at))
            }
          />
        ))}
      </div>
      <p className="text-ink-soft text-xs">{t('variables.hint')}</p>
      {problem !== undefined && <ErrorNote error={problem} />}
      <span role="status" className="sr-only">
        {said}
      </span>
      <div className="flex flex-wrap gap-2">
        <Button icon={Plus} onClick={() => draft.setRows([...rows, BLANK_ROW])}>
          {t('variables.add')}
        </Button>
        <label
          className={classNames(
            buttonClass('secondary'),
            'cursor-pointer focus-within:outline-2 focus-within:outline-accent focus-within:outline-offset-2',
          )}
        >
          <FileUp aria-hidden className="size-4" />
          {t('variables.import')}
          <input
            type="file"
            className="sr-only"
            onChange={({ currentTarget }) => {
              void take(currentTarget.files?.[0]);
              // Choosing the same file again is a change, too.
              currentTarget.value = '';
            }}
          />
        </label>
        <Button look="quiet" icon={isShown ? EyeOff : Eye} onClick={() => setShown(!isShown)}>
          {isShown ? t('variables.hide') : t('variables.show')}
        </Button>
      </div>
    </fieldset>
  );
}

interface RowProps {
  /** Position of the row, from 1. */
  readonly number: number;
  readonly row: VariableRow;
  /** True if the name can't be changed. */
  readonly isFixed: boolean;
  /** True for the only row while it is blank: there is nothing to remove. */
  readonly isAlone: boolean;
  readonly isShown: boolean;
  readonly problem: ReturnType<typeof findRowProblem>;
  onChange(changes: Partial<VariableRow>): void;
  onPasteName(event: ClipboardEvent): void;
  onRemove(): void;
}

function Row({ number, row, isFixed, isAlone, isShown, problem, onChange, onPasteName, onRemove }: RowProps) {
  const { t } = useConsoleTexts();
  const problemId = useId();
  const wrong = problem === undefined || problem === 'valueMissing' ? undefined : problem;
  const field = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false, dir: 'ltr' } as const;
  return (
    <fieldset
      aria-label={t('variables.row', { number: String(number) })}
      className="grid grid-cols-[minmax(0,1fr)_auto_auto] items-start gap-2 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto_auto]"
    >
      {isFixed ? (
        <code dir="ltr" className="flex h-8 items-center font-mono text-xs max-sm:col-span-3">
          {row.key}
        </code>
      ) : (
        <input
          {...field}
          className={classNames(INPUT_CLASS, 'font-mono max-sm:col-span-3')}
          aria-label={t('shell.name')}
          aria-invalid={wrong !== undefined}
          aria-describedby={wrong && problemId}
          placeholder={number === 1 ? 'API_KEY' : undefined}
          value={row.key}
          onChange={(event) => onChange({ key: event.target.value.trim() })}
          onPaste={onPasteName}
        />
      )}
      <ValueField
        label={isFixed ? row.key : t('deployment.env.value')}
        value={row.value}
        isRequired={isFixed}
        isShown={isShown || row.isPlain === true}
        onChange={(value) => onChange({ value })}
      />
      <IconButton
        icon={row.isPlain ? LockOpen : Lock}
        label={t(row.isPlain ? 'variables.makeSecret' : 'variables.makePlain', { number: String(number) })}
        onClick={() => onChange({ isPlain: !row.isPlain })}
      />
      {isFixed || isAlone ? (
        <span className="size-8 max-sm:size-11" />
      ) : (
        <IconButton icon={Trash2} label={t('variables.removeRow', { number: String(number) })} onClick={onRemove} />
      )}
      {wrong && (
        <p id={problemId} role="alert" className="col-span-full text-bad text-xs">
          {t(`variables.${wrong}`)}
        </p>
      )}
    </fieldset>
  );
}

interface ValueFieldProps {
  readonly label: string;
  readonly value: string;
  readonly isRequired: boolean;
  readonly isShown: boolean;
  onChange(value: string): void;
}

/** Field for a value. It has one line, or as many as the value, which an `input` would join. */
function ValueField({ label, value, isRequired, isShown, onChange }: ValueFieldProps) {
  const common = { 'aria-label': label, required: isRequired, spellCheck: false, dir: 'ltr', value } as const;
  if (value.includes('\n')) {
    return (
      <textarea
        {...common}
        // The pasted lines replaced the input that had the focus.
        ref={(area) => {
          if (document.activeElement === document.body) area?.focus();
        }}
        rows={Math.min(value.split('\n').length, 6)}
        className={classNames(INPUT_CLASS, 'h-auto py-1 font-mono', !isShown && '[-webkit-text-security:disc]')}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
      />
    );
  }
  return (
    <input
      {...common}
      type={isShown ? 'text' : 'password'}
      className={classNames(INPUT_CLASS, isShown && 'font-mono')}
      autoComplete="new-password"
      onChange={(event) => onChange(event.target.value)}
      onPaste={(event) => {
        const text = event.clipboardData.getData('text').replaceAll('\r', '').replace(/\n$/, '');
        if (!text.includes('\n')) return;
        event.preventDefault();
        const { selectionStart, selectionEnd } = event.currentTarget;
        onChange(value.slice(0, selectionStart ?? 0) + text + value.slice(selectionEnd ?? value.length));
      }}
    />
  );
}
