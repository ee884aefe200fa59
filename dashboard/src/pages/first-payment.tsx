import { useState } from 'react'
import { useAnswer } from '../api/use-answer.ts'
import { Card } from '../parts/card.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { FirstPaymentForm } from './first-payment-form.tsx'
import { FirstPaymentKey } from './first-payment-key.tsx'
import { FirstPaymentProgress } from './first-payment-progress.tsx'
import { FirstPaymentWallets } from './first-payment-wallets.tsx'

/** From nothing to a payment that is confirmed before the reader's eyes, and the code that does the same. */
export function Page() {
  const [apiKey, setApiKey] = useState<string | null>(null)
  const [paymentId, setPaymentId] = useState<string | null>(null)
  const wallets = useAnswer('GET /wallets')
  const own = wallets.data?.wallets ?? []
  return (
    <>
      <PageHeader title="Make a payment">
        Three steps: a key for your program, a wallet that pays, and the payment itself. The page
        shows the same call for your code.
      </PageHeader>
      <div className="space-y-4">
        <Card title="1. A key for your program">
          <FirstPaymentKey apiKey={apiKey} onKey={setApiKey} />
        </Card>
        <Card title="2. Wallets">
          <FirstPaymentWallets wallets={wallets} />
        </Card>
        <Card title="3. The payment">
          {wallets.isPending ? (
            <Skeleton className="h-64 w-full" />
          ) : (
            <FirstPaymentForm wallets={own} apiKey={apiKey} onSent={setPaymentId} />
          )}
        </Card>
        {paymentId === null ? null : (
          <Card title="What becomes of it">
            <FirstPaymentProgress paymentId={paymentId} />
          </Card>
        )}
      </div>
    </>
  )
}
