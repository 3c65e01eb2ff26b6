import { Tabs as Base } from '@base-ui/react/tabs';
import { type ReactNode, useEffect } from 'react';
import { useScrollEdges } from '../scroll/use-scroll-edges.ts';

export interface TabsProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  onChange(value: Value): void;
  readonly tabs: readonly {
    readonly value: Value;
    readonly label: string;
    readonly content: ReactNode;
    /** True for a panel that stays mounted while another one is shown. */
    readonly isKept?: boolean;
  }[];
  /** True for tabs whose panel fills the height of a flex column. */
  readonly isFilling?: boolean;
}

/** A tab list; one panel is shown at a time. A list that is wider than its place scrolls, and fades where there are more tabs. */
export function Tabs<Value extends string>({ label, value, onChange, tabs, isFilling = false }: TabsProps<Value>) {
  const listRef = useScrollEdges<HTMLDivElement>();
  useEffect(() => {
    const list = listRef.current;
    const tab = list?.querySelector(`[data-tab="${CSS.escape(value)}"]`);
    if (list && tab) list.scrollLeft += middleOf(tab) - middleOf(list);
  }, [value, listRef]);
  return (
    <Base.Root
      value={value}
      onValueChange={(next) => onChange(next as Value)}
      className={isFilling ? 'flex min-h-0 flex-1 flex-col' : undefined}
    >
      <div className="border-b border-line">
        <Base.List
          ref={listRef}
          aria-label={label}
          className="fade-edges -mb-px flex gap-1 overflow-x-auto overflow-y-hidden [scrollbar-width:none]"
        >
          {tabs.map((tab) => (
            <Base.Tab
              key={tab.value}
              value={tab.value}
              data-tab={tab.value}
              className="h-9 shrink-0 border-b-2 border-transparent px-3 font-medium whitespace-nowrap text-ink-soft transition-colors -outline-offset-2 hover:text-ink data-active:border-accent data-active:text-ink max-sm:h-11"
            >
              {tab.label}
            </Base.Tab>
          ))}
        </Base.List>
      </div>
      {tabs.map((tab) => (
        <Base.Panel
          key={tab.value}
          value={tab.value}
          keepMounted={tab.isKept}
          className={isFilling ? 'min-h-0 flex-1 [&[hidden]]:hidden' : 'pt-4'}
        >
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}

function middleOf(element: Element): number {
  const { left, width } = element.getBoundingClientRect();
  return left + width / 2;
}
