# Built and run with podman 4.3 on Debian 12 with Node 26.10.0, which stood in for the published base image: read-only, without capabilities.
# checks/deployment.test.ts reads it: the paths exist, the port is the service's, the settings are known. docs/operating/production.md says how it is meant.
#
#   docker build -t florin .

FROM node:26.10.0-bookworm-slim AS packages
WORKDIR /florin
COPY package.json package-lock.json .npmrc ./
COPY wire/package.json wire/
COPY server/package.json server/
COPY sandbox/package.json sandbox/
COPY cli/package.json cli/
COPY sdk/package.json sdk/
COPY dashboard/package.json dashboard/
# Optional packages are the runtime that the image has already, and binaries that only `florin up` and tests start.
RUN npm ci --omit=dev --omit=optional

# The dashboard, which needs binaries of its tools: they stay in this stage.
FROM node:26.10.0-bookworm-slim AS pages
WORKDIR /florin
COPY package.json package-lock.json .npmrc ./
COPY wire wire
COPY server/package.json server/
COPY sandbox/package.json sandbox/
COPY cli/package.json cli/
COPY sdk/package.json sdk/
COPY dashboard dashboard
RUN npm ci --omit=dev && node dashboard/build/main.ts

FROM node:26.10.0-bookworm-slim
ENV NODE_ENV=production
WORKDIR /florin
COPY --from=packages /florin ./
COPY --from=pages /florin/node_modules/.cache node_modules/.cache
COPY LICENSE ./
COPY bin bin
COPY wire wire
COPY server server
COPY sandbox sandbox
COPY cli cli
COPY dashboard dashboard
COPY docs docs
COPY deploy/ready.js deploy/
# The image's own unprivileged user, uid 1000: the key file must be readable by it and by nobody else.
USER node
# Inside a container the loopback reaches nobody. TLS or a trusted proxy is still asked for.
ENV FLORIN_HOST=0.0.0.0
ENV FLORIN_PORT=4020
EXPOSE 4020
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "deploy/ready.js"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "bin/florin.js"]
CMD ["serve"]
