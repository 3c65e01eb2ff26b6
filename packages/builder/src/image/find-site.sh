# Moves the site that a build made to /site: the first of these folders that has a page. Runs in an image's build stage.
for folder in dist dist/* dist/*/browser build out .output/public _site public; do
  if [ -f "$folder/index.html" ]; then
    mv "$folder" /site
    exit 0
  fi
done
echo 'The build made no index.html in dist, build, out, .output/public, _site or public.' >&2
echo 'Add a "start" script to package.json, or name the folder in berth.json: {"static": "folder"}' >&2
exit 1
