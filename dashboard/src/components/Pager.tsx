import Link from 'next/link'

interface Props {
  page: number
  pages: number
  href: (page: number) => string
}

/** Steps through the pages of a list; nothing where there is one page. */
export function Pager({ page, pages, href }: Props) {
  if (pages <= 1) return null
  const step = 'rounded-full px-3 py-1.5 font-medium'
  return (
    <nav aria-label="Pages" className="mt-4 flex items-center justify-between">
      {page > 1 ? (
        <Link className={step} href={href(page - 1)} rel="prev" scroll={false}>
          Previous
        </Link>
      ) : (
        <span className={`${step} text-soft`}>Previous</span>
      )}
      <span className="text-sm text-soft">
        Page {page} of {pages}
      </span>
      {page < pages ? (
        <Link className={step} href={href(page + 1)} rel="next" scroll={false}>
          Next
        </Link>
      ) : (
        <span className={`${step} text-soft`}>Next</span>
      )}
    </nav>
  )
}
