// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @dev Stands in an account's place and makes calls one by one, each from the same state, since each is undone.
contract Prober {
    /// @return answers What the refused calls were refused with, by place; of those that got through, `hex"01"`.
    function probe(address target, bytes[] calldata calls) external returns (bytes[] memory answers) {
        answers = new bytes[](calls.length);
        for (uint256 i = 0; i < calls.length; ++i) {
            try this.callAndUndo(target, calls[i]) {} catch (bytes memory answer) {
                answers[i] = answer;
            }
        }
    }

    function callAndUndo(address target, bytes calldata data) external {
        (bool isDone, bytes memory answer) = target.call(data);
        if (isDone) answer = hex"01";
        assembly {
            revert(add(answer, 32), mload(answer))
        }
    }
}
