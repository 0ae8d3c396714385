/** The head of a table of canaries. */
export function CanaryHeadLine({ titles }: { titles: readonly string[] }) {
  return (
    <thead className="text-soft">
      <tr>
        {titles.map(title => (
          <th key={title} scope="col" className="border-b border-line py-1.5 pr-4 font-medium">
            {title}
          </th>
        ))}
      </tr>
    </thead>
  )
}
