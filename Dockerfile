# The forwarding service, evfwd serve: docs/running.md. Workers: docs/many-machines.md
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm pack --pack-destination /tmp
# Node 24 has SQLite, so the builds for older versions are not needed.
# pg and pg-boss are for `--store`, on PostgreSQL.
RUN npm install --prefix /opt/evfwd --omit=dev --no-audit /tmp/evfwd-*.tgz pg@8 pg-boss@12 \
  && rm -r /opt/evfwd/node_modules/evfwd/dist/prebuilds

FROM ${NODE_IMAGE}
COPY --from=build /opt/evfwd /opt/evfwd
RUN ln -s /opt/evfwd/node_modules/.bin/evfwd /usr/local/bin/evfwd \
  && install -d -o node -g node -m 700 /var/lib/evfwd
ENV NODE_ENV=production
USER node
WORKDIR /var/lib/evfwd
VOLUME /var/lib/evfwd
EXPOSE 4500
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4500/_evfwd/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["evfwd"]
# The other commands find a configuration file in the folder where they run.
CMD ["serve", "--config", "/etc/evfwd/evfwd.config.yaml", "--host", "0.0.0.0", "--state-dir", "/var/lib/evfwd", "--admin-token-file", "/run/secrets/admin_token", "--json"]
