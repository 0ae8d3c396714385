import type { ReactNode } from 'react'
import type { Part } from '#sources/part.ts'
import { PartDown } from '../PartDown.tsx'

/** Sections that one source fills, or the notice that it is down. */
export async function RoleSections<T>({
  part: due,
  children,
}: {
  part: Promise<Part<T>>
  children: (data: T) => ReactNode
}) {
  const part = await due
  if (part.state !== 'down') return children(part.data)
  return (
    <div className="mt-8">
      <PartDown part={part} />
    </div>
  )
}

/** A role's heading, what it is paid for, and its table. */
export function RoleSection({
  id,
  title,
  about,
  children,
}: {
  id: string
  title: string
  about: string
  children: ReactNode
}) {
  return (
    <section aria-labelledby={id} className="mt-12">
      <h2 id={id} className="text-3xl">
        {title}
      </h2>
      <p className="mt-2 max-w-prose text-soft">{about}</p>
      <div className="mt-4">{children}</div>
    </section>
  )
}

/** Columns that are `wide` are not there on a phone. */
export function RoleTable({ columns, wide, children }: { columns: string[]; wide: string[]; children: ReactNode }) {
  return (
    <table className="w-full border-collapse text-left">
      <thead className="text-sm text-soft">
        <tr>
          {columns.map((title, index) => (
            <th
              key={title}
              scope="col"
              className={`border-b border-line px-2 py-2 font-medium ${index > 0 ? 'text-right' : ''} ${wide.includes(title) ? 'hidden sm:table-cell' : ''}`}
            >
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}

/** A figure of a table. */
export function Cell({ wide = false, children }: { wide?: boolean; children: ReactNode }) {
  return (
    <td className={`figures px-2 py-2.5 text-right sm:whitespace-nowrap ${wide ? 'hidden sm:table-cell' : ''}`}>
      {children}
    </td>
  )
}
