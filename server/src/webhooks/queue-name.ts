/** The name under which instances are told that something was enqueued. */
export const QUEUE = 'webhooks'
