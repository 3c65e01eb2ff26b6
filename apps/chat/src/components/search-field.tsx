import { INPUT_CLASS } from '@berth/ui';
import { useEffect, useState } from 'react';

export interface SearchFieldProps {
  readonly label: string;
  /** The text that is searched now; when it becomes empty, the field is cleared. */
  readonly search: string;
  /** Called with the text once typing pauses. */
  onSearch(text: string): Promise<void>;
  readonly className?: string;
}

const PAUSE_MS = 250;

/** A field that filters a list. */
export function SearchField({ label, search, onSearch, className = '' }: SearchFieldProps) {
  const [text, setText] = useState(search);
  useEffect(() => {
    if (text.trim() === search) return;
    const timer = setTimeout(() => void onSearch(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, search, onSearch]);
  useEffect(() => {
    if (search === '') setText('');
  }, [search]);
  return (
    <input
      type="search"
      dir="auto"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => setText(event.target.value)}
      className={`${INPUT_CLASS} ${className}`}
    />
  );
}
