# Has the program KITH write its manual pages and completions to FOLDER, which is emptied first, under
# the paths that they have below share (that of zsh but for a folder).
function(write path)
  execute_process(COMMAND ${KITH} ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${FOLDER}/${path} "${text}")
  set(text "${text}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${FOLDER})
write(man/man1/kith.1 help --man)
string(REGEX MATCHALL "fBkith\\\\-[a-z]+\\\\fR\\(1\\)" commands "${text}")
foreach(entry ${commands})
  string(REGEX REPLACE ".*-([a-z]+).*" "\\1" command ${entry})
  write(man/man1/kith-${command}.1 help --man ${command})
endforeach()
write(bash-completion/completions/kith completions bash)
write(zsh/_kith completions zsh)
write(fish/vendor_completions.d/kith.fish completions fish)
