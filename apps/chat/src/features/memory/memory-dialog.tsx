import type { Memory } from '@berth/contract/agent';
import { Button, ConfirmDialog, Dialog, EmptyState, ErrorNote, Field, IconButton, Skeleton } from '@berth/ui';
import { Brain, Pencil, Trash2 } from 'lucide-react';
import { type FormEvent, useCallback, useState } from 'react';
import { useAgent } from '../../api/agent-context.ts';
import { useLoaded } from '../../components/use-loaded.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { visible } from '../media/visible.ts';

/** Characters of one memory. Source: docs/contract/agent-api.md §13. */
const MAX_TEXT = 500;

/** A dialog with what the agent remembers. */
export function MemoryDialog({ onClose }: { onClose(): void }) {
  const { t } = useChatTexts();
  return (
    <Dialog title={t('memory.title')} description={t('memory.text')} isOpen onClose={onClose} isWide>
      <MemoryList />
    </Dialog>
  );
}

/** Lists the agent's memories of the person and of the team. They can be added, changed and erased. */
export function MemoryList() {
  const { t } = useChatTexts();
  const { api } = useAgent();
  const { value: memories, error, reload, change } = useLoaded(useCallback(() => api.get('/memory'), [api]));
  const [isErasing, setErasing] = useState(false);
  const hasOwn = memories?.some(({ scope }) => scope === 'person') === true;
  return (
    <div className="flex flex-col gap-3">
      {error !== undefined && <ErrorNote error={error} onRetry={() => void reload()} />}
      {memories === undefined && error === undefined && <Skeleton rows={3} />}
      {memories?.length === 0 && <EmptyState icon={Brain} title={t('memory.none')} text={t('memory.noneText')} />}
      <ul aria-label={t('memory.title')} className="flex flex-col divide-y divide-line">
        {memories?.map((memory) => {
          const params = { path: { id: memory.id } };
          return (
            <MemoryRow
              key={memory.id}
              memory={memory}
              onSave={(text) => change(api.put('/memory/{id}', { params, body: { text } }))}
              onRemove={() => void change(api.delete('/memory/{id}', { params }))}
            />
          );
        })}
      </ul>
      <TextForm
        label={t('memory.add')}
        action={t('memory.addAction')}
        onSave={(text) => change(api.post('/memory', { body: { text, scope: 'person' } }))}
      />
      {hasOwn && (
        <Button className="self-end" onClick={() => setErasing(true)}>
          {t('memory.erase')}
        </Button>
      )}
      <ConfirmDialog
        title={t('memory.erase')}
        description={t('memory.eraseText')}
        action={t('memory.eraseAction')}
        isOpen={isErasing}
        onConfirm={() => {
          setErasing(false);
          void change(api.delete('/memory', { params: { query: { scope: 'person' } } }));
        }}
        onClose={() => setErasing(false)}
      />
    </div>
  );
}

interface MemoryRowProps {
  readonly memory: Memory;
  onSave(text: string): Promise<void>;
  onRemove(): void;
}

function MemoryRow({ memory: { text, scope, by, updated_at }, onSave, onRemove }: MemoryRowProps) {
  const { t, formats } = useChatTexts();
  const [isEditing, setEditing] = useState(false);
  if (isEditing) {
    const save = async (changed: string) => {
      setEditing(false);
      await onSave(changed);
    };
    return (
      <li className="py-2.5">
        <TextForm label={t('memory.change')} action={t('chats.save')} text={text} onSave={save} />
      </li>
    );
  }
  const when = formats.ago(updated_at, Date.now());
  return (
    <li className="flex items-center gap-1 py-2.5">
      <div className="min-w-0 flex-1">
        <p dir="auto" className="from-start break-words">
          {visible(text)}
        </p>
        <p className="flex flex-wrap items-baseline gap-x-2 text-xs text-ink-soft">
          {t(by === 'agent' ? 'memory.by.agent' : 'memory.by.user', { when })}
          {scope === 'team' && <span className="font-medium">{t('memory.team')}</span>}
        </p>
      </div>
      <IconButton icon={Pencil} label={t('memory.edit', { text })} onClick={() => setEditing(true)} />
      <IconButton icon={Trash2} label={t('memory.remove', { text })} onClick={onRemove} />
    </li>
  );
}

interface TextFormProps {
  readonly label: string;
  readonly action: string;
  readonly text?: string;
  onSave(text: string): Promise<void>;
}

function TextForm({ label, action, text: first = '', onSave }: TextFormProps) {
  const [text, setText] = useState(first);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === '') return;
    setText('');
    void onSave(text);
  };
  return (
    <form className="flex items-end gap-2" onSubmit={submit}>
      <Field
        className="min-w-0 flex-1"
        {...{ label, required: true, maxLength: MAX_TEXT, dir: 'auto', value: text, onChange: setText }}
      />
      <Button type="submit">{action}</Button>
    </form>
  );
}
