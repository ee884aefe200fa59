import { useSession } from '../app/session.tsx'
import { CodeBlock } from '../parts/code-block.tsx'

/** The shortest way to a settlement: a shop, and somebody who buys there. In a sandbox both run with what it has made. */
export function ShopCommands() {
  const { sandbox } = useSession()
  const code = [
    'npx florin paywall --port 4100',
    'npx florin pay http://127.0.0.1:4100/report --max 0.05',
  ].join('\n')
  return (
    <div className="mx-auto mt-4 max-w-xl space-y-2 text-left">
      <p>
        {sandbox
          ? 'Try it where the sandbox was started: a shop in one window, a buyer in another.'
          : 'Try it with FLORIN_BASE_URL and FLORIN_API_KEY set: a shop in one window, a buyer in another.'}
      </p>
      <CodeBlock code={code} what="shop and buyer" />
      <p>
        Or read{' '}
        <a
          href="/docs/guides/sell"
          className="font-medium text-brand-strong underline underline-offset-4"
        >
          how to sell
        </a>{' '}
        with your own server.
      </p>
    </div>
  )
}
