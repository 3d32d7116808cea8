# cmake -D program=PROGRAM -D arguments=LIST -D expected=FILE -P check_output.cmake
# Fails unless the program ends well and prints what stands in the file.
execute_process(COMMAND ${program} ${arguments} OUTPUT_VARIABLE output RESULT_VARIABLE code)
file(READ ${expected} text)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${program} ended with ${code}")
elseif(NOT output STREQUAL text)
  message(FATAL_ERROR "${expected} is not what was printed:\n${output}")
endif()
