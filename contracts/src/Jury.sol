// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IJury} from "./interfaces/IJury.sol";
import {IPeerRegistry} from "./interfaces/IPeerRegistry.sol";
import {Tally} from "./libraries/Tally.sol";

/// @title Jury
/// @notice Seats that judge a case by commit and reveal. Appeals in `Challenges` and disputes in `PredictionMarket`
/// share it.
/// @dev A jury is the seats drawn for one case, by position. The contract of the case decides when a step is due, how
/// verdicts are counted, what they change and who is paid. A verdict is a score or a choice, 0 to 1000, or
/// `Tally.UNAVAILABLE`.
abstract contract Jury is IJury {
    /// @dev `word` is the commitment, bound to its seat; once revealed the verdict's lane (see `Tally`), which is
    /// smaller than any hash.
    struct Verdict {
        bytes32 seatKey;
        uint256 word;
    }

    uint256 internal constant MAX_LANE = type(uint16).max;

    IPeerRegistry internal immutable _registry;

    mapping(bytes32 benchKey => mapping(uint256 position => Verdict given)) internal _verdicts;

    /// @param registry Who speaks for a seat.
    constructor(IPeerRegistry registry) {
        _registry = registry;
    }

    function _commit(bytes32 benchKey, uint256 position, bytes32 seatKey, bytes32 commitment) internal {
        Verdict storage verdict = _verdicts[benchKey][position];
        if (verdict.word != 0) revert Jury_AlreadyCommitted(position);
        (verdict.seatKey, verdict.word) = (seatKey, _bound(commitment, seatKey));
    }

    /// @dev `commitment` is the hash of what is revealed, which names the seat.
    function _reveal(bytes32 benchKey, uint256 position, bytes32 commitment, uint16 found) internal {
        Verdict storage verdict = _verdicts[benchKey][position];
        if (verdict.word != _bound(commitment, verdict.seatKey)) revert Jury_NotVerdict(position, commitment);
        verdict.word = Tally.laneOf(found);
    }

    function _accountOf(bytes32 peerKey) internal view returns (address account) {
        return _registry.accountOf(peerKey);
    }

    function _requireSpeaker(bytes32 seatKey) internal view {
        if (_accountOf(seatKey) != msg.sender) revert Jury_NotSeatAccount(seatKey, msg.sender);
    }

    function _bound(bytes32 commitment, bytes32 seatKey) private pure returns (uint256 word) {
        return uint256(keccak256(abi.encode(commitment, seatKey)));
    }
}
