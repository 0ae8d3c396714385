// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Challenges} from "../../src/Challenges.sol";

/// @dev An account that answers a payment with its own calls, in the middle of the contract's work.
contract Thief {
    Challenges internal immutable _challenges;
    bytes[] internal _calls;
    bool internal _refuses;
    bool public isCalling;
    uint256 public taken;

    constructor(Challenges challenges) {
        _challenges = challenges;
    }

    receive() external payable {
        require(!_refuses, "no");
        if (isCalling) return;
        isCalling = true;
        for (uint256 i = 0; i < _calls.length; ++i) {
            (bool isTaken, ) = address(_challenges).call(_calls[i]);
            if (isTaken) ++taken;
        }
    }

    function plan(bytes calldata data) external {
        _calls.push(data);
    }

    function refuse() external {
        _refuses = true;
    }
}
